import fc from "fast-check";

/** Properties try the same cases for each mutant, and do not look for a smaller one. */
fc.configureGlobal({ seed: 1, endOnFailure: true });
