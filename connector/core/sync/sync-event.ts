import type { Pause } from "../client/client.ts";
import type { Interval } from "../coverage/coverage.ts";
import type { StateSnapshot } from "../coverage/stream-state.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../streams/column.ts";

/** `Name`: the names of the streams that are read. */
export type SyncEvent<Name extends string = string> =
  /** The stream begins; the state is the one it was given, without the range that the lookback re-opened. */
  | { readonly type: "start"; readonly stream: Name; readonly state: StateSnapshot }
  /** Records, and the state that covers everything up to and including them. `surveyId`: of the list that held them. */
  | {
      readonly type: "records";
      readonly stream: Name;
      readonly surveyId?: string;
      readonly records: readonly StreamRecord[];
      readonly state: StateSnapshot;
    }
  /** Something of the stream could not be read; the rest goes on, and the stream ends incomplete. */
  | {
      readonly type: "failure";
      readonly stream: Name;
      readonly error: SurveyExportError;
      readonly surveyId?: string;
    }
  /** Something that cannot be read was left out. The next sync reads `ranges` again. A few leave the stream complete. */
  | {
      readonly type: "unreadable";
      readonly stream: Name;
      readonly error: SurveyExportError;
      readonly surveyId?: string;
      readonly ranges: readonly Interval[];
    }
  /** Nothing else to emit for a while: the service asked for a pause, or is slow. */
  | { readonly type: "waiting"; readonly pause: Pause | undefined }
  /** The stream's last state. */
  | {
      readonly type: "end";
      readonly stream: Name;
      readonly state: StateSnapshot;
      readonly complete: boolean;
    };
