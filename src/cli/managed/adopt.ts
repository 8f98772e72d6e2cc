import { basename, dirname, resolve } from 'node:path'
import { openConfigFolder } from '../../catalogue/config-file/config-folder.ts'
import { withoutChecks } from '../../catalogue/config-file/edit-checks.ts'
import { ConfigFaults } from '../../catalogue/config-file/faults.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import { wirePath } from '../../catalogue/wire/index.ts'
import { changeFile } from '../change-file.ts'
import { CommandFailure, type Context } from '../context.ts'
import { callServer, errorReply, type Remote } from '../remote/remote.ts'

type Adoption = { readonly file: string; readonly remote: Remote; readonly checks: readonly CheckDefinition[] }

/**
 * Moves checks of the config file over to a running server. All are tried first, so that one with a fault changes nothing. Where it ends in
 * between, both homes have some: the server uses its own, and the command can be run again.
 */
export async function adoptChecks({ env }: Context, { file, remote, checks }: Adoption): Promise<void> {
  const ids = checks.map(({ id }) => id)
  const without = (text: string): string => {
    const rest = withoutChecks(text, remote.account, ids)
    const parsed = parseConfig(rest, env, { folder: openConfigFolder(dirname(resolve(file))) })
    if (!('faults' in parsed)) {
      const left = parsed.config.checks.filter((check) => check.account === remote.account && ids.includes(check.id))
      if (left.length === 0) return rest
      throw new CommandFailure(`These are made by forEach, and cannot be moved one by one: ${left.map(({ id }) => id).join(', ')}`)
    }
    throw new CommandFailure(
      `Without these checks, the file would have faults. Name checks by their tags there.\n${new ConfigFaults(basename(file), parsed.faults).message}`,
    )
  }
  await changeFile(file, (text) => {
    without(text)
    return text
  })
  for (const check of checks) await send(remote, check, true)
  for (const check of checks) await send(remote, check, false)
  await changeFile(file, without)
}

type DryRun = {
  readonly valid?: boolean
  readonly action?: string
  readonly faults?: readonly { readonly pointer: string; readonly message: string }[]
}

const json = { 'content-type': 'application/json' }

/** What was interrupted is gone on with; a check that the server has otherwise is not given up in the file. */
async function requireSame(remote: Remote, id: string, body: string): Promise<void> {
  const answer = await callServer(remote, `/v1/checks/${id}?dryRun=true`, { method: 'PUT', headers: json, body })
  const text = await answer.text()
  // A write that would change nothing is none; any other is refused as long as the file has the check.
  const isOther = answer.status === 409 && text.includes('DEFINED_IN_FILE')
  if (!answer.ok && !isOther) throw errorReply(answer.status, text)
  if (isOther || (JSON.parse(text) as DryRun).action !== 'none')
    throw new CommandFailure(
      `The server manages the check ${id} already, with another definition. Delete it there, or remove it from the file.`,
    )
}

async function send(remote: Remote, check: CheckDefinition, isDryRun: boolean): Promise<void> {
  const path = `/v1/checks/${wirePath(check.checkType)}?adopt=true${isDryRun ? '&dryRun=true' : ''}`
  const body = JSON.stringify({ definition: { ...check.written, id: check.id } })
  const answer = await callServer(remote, path, { method: 'POST', headers: json, body })
  const text = await answer.text()
  if (answer.status === 409 && text.includes('CHECK_EXISTS')) return requireSame(remote, check.id, body)
  if (!answer.ok) throw errorReply(answer.status, text)
  const { valid, faults = [] } = isDryRun ? (JSON.parse(text) as DryRun) : { valid: true }
  if (valid === false)
    throw new CommandFailure(
      `The check ${check.id} cannot be moved: ${faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}`,
    )
}
