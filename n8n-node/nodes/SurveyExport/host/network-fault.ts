import { connectionFaultOf } from '@survey-export/core';

/**
 * Why no complete answer came, in the core's words. Undefined for an error that is not one of the network. A message of
 * n8n's HTTP client or of OpenSSL is passed on, for the core to quote.
 */
export function networkFault(error: Error): Error | undefined {
	const code = [error, error.cause]
		.map((one) => (one as { code?: unknown } | undefined)?.code)
		.find((one) => typeof one === 'string');
	if (code === undefined) return error.name === 'AxiosError' ? error : undefined;
	return connectionFaultOf([code], error) ?? error;
}
