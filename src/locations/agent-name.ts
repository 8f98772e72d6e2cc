/** The display name of an agent: up to 128 characters in one line. */
export const agentNamePattern = '^[^\\s\\p{Cc}]([^\\p{Cc}]{0,126}[^\\s\\p{Cc}])?$'

const grammar = new RegExp(agentNamePattern, 'u')

export function isAgentName(text: string): boolean {
  return grammar.test(text)
}
