import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { ask, goodBody } from '../api-client.ts'
import { CommandFailure } from '../context.ts'
import type { Remote } from '../remote.ts'

type Listed = { readonly id: string; readonly name: string; readonly checkType: string }
export type FoundCheck = { readonly id: string; readonly name: string; readonly checkType: CheckType }

/** The check of that id, else the one of that name, else the only one whose name has these words in it. */
export async function findCheck(remote: Remote, idOrName: string): Promise<FoundCheck> {
  const byId = idGrammar.test(idOrName) ? await ask(remote, `/v1/checks/${idOrName}`, new URLSearchParams()) : null
  if (byId && byId.status !== 404) return found(JSON.parse(goodBody(byId)) as Listed)
  const similar = JSON.parse(goodBody(await ask(remote, '/v1/checks', new URLSearchParams({ search: idOrName, limit: '100' })))) as Listed[]
  const [match, ...others] = similar.filter(({ name }) => name === idOrName).concat(similar.length === 1 ? similar : [])
  if (match && others.every(({ id }) => id === match.id)) return found(match)
  if (similar.length === 0) throw new CommandFailure(`Account ${remote.account} has no check with the id or name ${idOrName}.`)
  const choices = similar.slice(0, 10).map(({ id, name }) => `  ${id}  ${name}`)
  throw new CommandFailure(`Several checks are meant by ${idOrName}. Give the id of one:\n${choices.join('\n')}`)
}

function found({ id, name, checkType: type }: Listed): FoundCheck {
  const checkType = checkTypes.find((known) => known.type === type)
  if (!checkType) throw new CommandFailure(`The server has a check type ${type} that this tidemark does not know. Update it.`)
  return { id, name, checkType }
}
