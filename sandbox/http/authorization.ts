/**
 * Whether the header is the literal `Basic <API_KEY>`. A header that could not be right whatever the key
 * (another scheme, several headers) is also complained about; a wrong key is not.
 */
export function isAuthorized(
  header: string | readonly string[] | undefined,
  apiKey: string,
  complain: (problem: string) => void,
): boolean {
  if (header === `Basic ${apiKey}`) return true;
  if (typeof header !== "string") complain("There is not exactly one Authorization header.");
  else if (!/^Basic \S+$/.test(header))
    complain("The Authorization header is not of the form Basic <API_KEY>.");
  return false;
}
