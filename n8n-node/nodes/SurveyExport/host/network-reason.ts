const CUT = 'the connection was cut';
const NO_NAME = 'the host name was not found';
const NO_TLS =
	'no secure connection is possible; check that the address begins with the right one of http and https';
const NOT_TRUSTED =
	'the certificate is not trusted by n8n; if your organization issues its own, set NODE_USE_SYSTEM_CA=1 or NODE_EXTRA_CA_CERTS for n8n';

const REASONS: Readonly<Record<string, string>> = {
	CERT_HAS_EXPIRED: "the service's certificate has expired",
	DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
	EAI_AGAIN: NO_NAME,
	ECONNABORTED: 'no answer in time',
	ECONNREFUSED: 'connection refused',
	ECONNRESET: CUT,
	EHOSTUNREACH: 'the host cannot be reached',
	ENETUNREACH: 'the host cannot be reached',
	ENOTFOUND: NO_NAME,
	EPIPE: CUT,
	EPROTO: NO_TLS,
	ERR_STREAM_PREMATURE_CLOSE: CUT,
	ERR_TLS_CERT_ALTNAME_INVALID: "the service's certificate is for another host name",
	ETIMEDOUT: 'no answer in time',
	SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
};

/**
 * Why no complete answer came, in words and with the code to search for. Undefined for an error that is not
 * one of the network. OpenSSL's own messages name source files, so they are not shown.
 */
export function networkReason(error: Error): string | undefined {
	const code = [error, error.cause]
		.map((one) => (one as { code?: unknown } | undefined)?.code)
		.find((one) => typeof one === 'string');
	if (code === undefined) return error.name === 'AxiosError' ? error.message : undefined;
	if (code.startsWith('ERR_SSL')) return `${NO_TLS} (${code})`;
	if (code.startsWith('HPE_')) return `the answer is not HTTP (${code})`;
	return `${REASONS[code] ?? error.message} (${code})`;
}
