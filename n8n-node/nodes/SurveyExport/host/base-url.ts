import { SurveyExportError } from '../../../../connector/core/index.ts';

/**
 * The credential's address as the core wants it: no blanks around it, no slash behind it, ending in /v2.
 * Plain http would show the key to everyone on the way, so it is taken only within one's own network.
 *
 * @throws SurveyExportError `invalid_configuration`
 */
export function checkedBaseUrl(text: unknown): string {
	const address = String(text ?? '')
		.trim()
		.replace(/\/+$/, '');
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw unfit('it is not an http or https address');
	}
	if (url.username !== '' || url.password !== '') {
		throw unfit('it holds a user name or a password; the key has its own field');
	}
	if (/[?#]/.test(address)) throw unfit('it holds a query or a fragment');
	if (!url.pathname.endsWith('/v2')) throw unfit('it does not end in /v2');
	if (url.protocol === 'http:' && !staysInside(url.hostname)) {
		throw unfit('it uses plain http, which would show the key to everyone on the way; use https');
	}
	return url.origin + url.pathname;
}

const unfit = (why: string) =>
	new SurveyExportError(
		'config',
		'invalid_configuration',
		`The credential's Base URL cannot be used: ${why}. It looks like https://api.example.com/v2.`,
	);

/** Whether a host, as `URL` writes it, is this machine or one of the user's own network. */
function staysInside(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	if (host.startsWith('[')) return /^\[(::1\]|f[cd]|fe[89ab][0-9a-f]:)/.test(host);
	const address = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
	if (address === null) {
		return !host.includes('.') || /\.(local|internal|localhost)$/.test(host);
	}
	const [first, second] = [Number(address[1]), Number(address[2])];
	if (first === 172) return second >= 16 && second <= 31;
	if (first === 192) return second === 168;
	return first === 10 || first === 127 || (first === 169 && second === 254);
}
