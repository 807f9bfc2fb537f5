import { createTransport } from "../../connector/node/transport.ts";
import { describeTransport } from "../support/transport-contract.ts";

describeTransport("the command line (undici)", createTransport);
