/** undici's own module of its Agent. The index loads all of undici. */
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
