import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { TidemarkError } from '../../client/index.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { CommandFailure, unknownCheckExit } from '../context.ts'
import { ask } from './api-client.ts'
import type { Remote } from './remote.ts'

type Listed = { readonly id: string; readonly name: string; readonly checkType: string }
export type FoundCheck = { readonly id: string; readonly name: string; readonly checkType: CheckType }

/** Finds a check by id, else by exact name. Fails for a partial name and lists the matches. */
export async function findServerCheck(remote: Remote, idOrName: string): Promise<FoundCheck> {
  const byId = idGrammar.test(idOrName) ? await findById(remote, idOrName) : null
  if (byId) return toFoundCheck(byId.data)
  const similar = await findByPart(remote, idOrName)
  const named = similar.filter(({ name }) => name === idOrName)
  const [match, ...others] = named
  if (match && others.length === 0) return toFoundCheck(match)
  if (similar.length === 0)
    throw new CommandFailure(`Account ${remote.account} has no check with the id or name ${idOrName}.`, unknownCheckExit)
  const choices = [...new Set([...named, ...similar])].slice(0, 10).map(({ id, name }) => `  ${id}  ${name}`)
  const why = match ? `Several checks are named ${idOrName}` : `No check has the id or name ${idOrName}, but these contain it`
  throw new CommandFailure(`${why}. Use the id of one:\n${choices.join('\n')}`, unknownCheckExit)
}

function findById(remote: Remote, id: string): Promise<{ readonly data: Listed } | null> {
  return ask(remote, (client) => client.GET('/v1/checks/{id}', { params: { path: { id } } }).catch(nullIfNotFound))
}

/** Reads all pages: many names may contain the full name of a check. */
function findByPart(remote: Remote, search: string): Promise<readonly Listed[]> {
  return ask(remote, async (client) => {
    const found: Listed[] = []
    for await (const page of client.pages('/v1/checks', { params: { query: { search } } })) found.push(...page)
    return found
  })
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof TidemarkError && error.status === 404) return null
  throw error
}

function toFoundCheck({ id, name, checkType: type }: Listed): FoundCheck {
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType) throw new CommandFailure(`This version of tidemark does not support the check type ${type}. Update it.`)
  return { id, name, checkType }
}
