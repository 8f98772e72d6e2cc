/** What may be the id of an account, a check or a result. */
export const idGrammar = /^[A-Za-z0-9_-]{1,128}$/
