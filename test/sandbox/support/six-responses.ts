/** A survey with six responses of two people, of whom one has attributes. */
export const anna = "00000000-0000-4000-8000-00000000000a";
export const ben = "00000000-0000-4000-8000-00000000000b";
export const responses = Array.from({ length: 6 }, (_, number) => ({
  uuid: `r${number}`,
  collected_at: `2026-01-0${number + 1}T00:00:00.123456Z`,
  respondent_uuid: number % 2 === 0 ? anna : ben,
}));
export const respondents = [
  {
    uuid: anna,
    attributes: [
      { id: 1, name: "a", value: "b" },
      { id: 2, name: "c", value: "d" },
    ],
  },
];
export const surveys = [{ id: "1", responses }];
export const list = "/surveys/1/responses";
