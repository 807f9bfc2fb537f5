/** Extended by n8n-core when it is loaded, used by nothing here. */
exports.BaseToolkit = class {};
