/** Where the page about a database is: next to it, with the ending .html. */
export const pagePath = (database: string): string => `${database.replace(/\.[^./]*$/, "")}.html`;
