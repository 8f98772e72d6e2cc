/** The grammar of ids of accounts, checks and results. */
export const idGrammar = /^[A-Za-z0-9_-]{1,128}$/
