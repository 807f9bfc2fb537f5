/** Requests a minute. Figures that depend on a rate take it from here, so a changed default does not change them unseen. */

/** The default of a sync. */
export const CONFIGURED = 900;
/** What the service allows all programs of a workspace together, and so the most that can be configured. */
export const ALLOWED = 1000;
