/** Whether a command line's argument looks like content rather than a name: it may hold the key, so nothing shows it. */
export const mayHoldKey = (argument: string): boolean => /[{}"\n]|api_?key/i.test(argument);
