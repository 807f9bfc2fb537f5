import { fixed, type Message, say } from "@survey-export/core";

/**
 * The user of this process, by number: in a container nobody sees it otherwise, and it may have no name there. Windows has no
 * numbers.
 */
export const thisUser = (): Message => {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  return uid === undefined || gid === undefined
    ? say`this user`
    : say`this user (${fixed(`uid ${uid}, gid ${gid}`)})`;
};
