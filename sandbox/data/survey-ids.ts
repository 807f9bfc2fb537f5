/**
 * The ids of the example surveys: the generated ones, and those of the made-up company. The fourth looks like a whole
 * number and the fifth like one with an exponent, as ids of 16 hexadecimal digits may.
 */
export const SURVEY_IDS = [
  "2a94f0c3be1d7856",
  "6b1e57d09ca2f438",
  "f2087bd6354c9ae1",
  "0815240966137042",
  "4e08713592660817",
  "c3d96a1f08b7e524",
] as const;
