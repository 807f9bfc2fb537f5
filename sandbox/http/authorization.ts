/**
 * Whether the header is the literal `Basic <API_KEY>`. Another scheme and several headers are also reported as
 * malformed; a wrong key is not.
 */
export function isAuthorized(
  header: string | readonly string[] | undefined,
  apiKey: string,
  reportMalformed: (problem: string) => void,
): boolean {
  if (header === `Basic ${apiKey}`) return true;
  if (typeof header !== "string") reportMalformed("There is not exactly one Authorization header.");
  else if (!/^Basic \S+$/.test(header))
    reportMalformed("The Authorization header is not of the form Basic <API_KEY>.");
  return false;
}
