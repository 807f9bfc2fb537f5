/** Unpacked. A page of a hundred responses is far smaller, and an n8n has other work to do beside ours. */
const LONGEST_BODY_BYTES = 16 * 1024 * 1024;

/** A response's body as it arrives: n8n's helper hands out a stream of Node, of which this is enough. */
export interface Arriving extends AsyncIterable<Uint8Array> {
	destroy(reason?: Error): void;
}

/**
 * The whole body as text. Rejects when it ends too early, is longer than 16 MB, or `signal` is aborted
 * meanwhile: the time limit of n8n's helper ends with the headers, and a body may never end.
 */
export async function wholeBody(body: Arriving, signal: AbortSignal): Promise<string> {
	const stop = () => body.destroy(new Error('The answer was not awaited any longer'));
	if (signal.aborted) stop();
	signal.addEventListener('abort', stop, { once: true });
	try {
		const decoder = new TextDecoder();
		let text = '';
		let bytes = 0;
		for await (const chunk of body) {
			bytes += chunk.byteLength;
			if (bytes > LONGEST_BODY_BYTES) throw new BodyTooLong();
			text += decoder.decode(chunk, { stream: true });
		}
		signal.throwIfAborted();
		return text + decoder.decode();
	} finally {
		signal.removeEventListener('abort', stop);
		body.destroy();
	}
}

/** The body was refused for its length. */
export class BodyTooLong extends Error {
	constructor() {
		super('The answer is longer than 16 MB');
	}
}
