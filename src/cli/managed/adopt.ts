import { basename, dirname, join, resolve } from 'node:path'
import { openConfigFolder } from '../../catalogue/config-file/config-folder.ts'
import { readConfigText } from '../../catalogue/config-file/config-text.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import { wirePath } from '../../catalogue/wire/index.ts'
import type { Schemas } from '../../client/index.ts'
import { changeFile } from '../change-file.ts'
import { CommandFailure, type Context } from '../context.ts'
import { callPatiently } from '../remote/patient-call.ts'
import { errorReply, type Remote } from '../remote/remote.ts'
import { type Adoption, planAdoption } from './plan-adoption.ts'

type AdoptOrder = { readonly file: string; readonly remote: Remote; readonly ids: readonly string[] | null }

/**
 * Moves checks from the config file and its included files to a running server. All are validated by a dry run first, so that a fault
 * changes nothing. After an interruption some checks are in both places: the server then uses its managed version, and the command can be
 * run again.
 */
export async function adoptChecks({ env, stderr }: Context, { file, remote, ids }: AdoptOrder): Promise<Adoption> {
  const folder = dirname(resolve(file))
  const text = await readConfigText(file)
  const openFolder = () => openConfigFolder(folder)
  const adoption = planAdoption({ name: basename(file), text, env, openFolder, account: remote.account, ids })
  const call: Call = (path, init) => callPatiently(remote, { path, ...(init && { init }), warn: (line) => void stderr.write(`${line}\n`) })
  await requireManaged(call, remote.account, adoption.missing)
  for (const check of adoption.checks) await send(call, check, true)
  for (const check of adoption.checks) await send(call, check, false)
  for (const edit of adoption.edits) {
    const changed = edit.file === null ? file : join(folder, edit.file)
    await changeFile(changed, (now) => {
      if (now === edit.before) return edit.after
      throw new CommandFailure(
        `${changed} was changed in the meantime. The server has the checks; run the command again to remove them from the file.`,
      )
    })
  }
  return adoption
}

type Call = (path: string, init?: RequestInit) => ReturnType<typeof callPatiently>

/** Only an earlier, interrupted run explains ids that no file has, so the server must manage them already. */
async function requireManaged(call: Call, account: string, ids: readonly string[]): Promise<void> {
  const unknown: string[] = []
  for (const id of ids) {
    const { ok, status, text } = await call(`/v1/checks/${encodeURIComponent(id)}/versions?limit=1`)
    if (!ok && status !== 404 && status !== 400) throw errorReply(status, text)
    const [last] = ok ? (JSON.parse(text) as Schemas['Versions']).versions : []
    if (!last || last.action === 'delete') unknown.push(id)
  }
  if (unknown.length > 0) throw new CommandFailure(`Checks of ${account} not found in the file: ${unknown.join(', ')}`)
}

const json = { 'content-type': 'application/json' }

/** Resumes an interrupted run. Fails if the server has a different definition of the check. */
async function requireSame(call: Call, id: string, body: string): Promise<void> {
  const { ok, status, text } = await call(`/v1/checks/${id}?dryRun=true`, { method: 'PUT', headers: json, body })
  // The dry run accepts a write without changes, and rejects any other while the file has the check.
  const isOther = status === 409 && text.includes('DEFINED_IN_FILE')
  if (!ok && !isOther) throw errorReply(status, text)
  if (isOther || dryRunOf(text).action !== 'none')
    throw new CommandFailure(
      `The server already manages the check ${id}, with another definition. Delete it there, or remove it from the file.`,
    )
}

async function send(call: Call, check: CheckDefinition, isDryRun: boolean): Promise<void> {
  const path = `/v1/checks/${wirePath(check.checkType)}?adopt=true${isDryRun ? '&dryRun=true' : ''}`
  const body = JSON.stringify({ definition: { ...check.written, id: check.id } })
  const { ok, status, text } = await call(path, { method: 'POST', headers: json, body })
  if (status === 409 && text.includes('CHECK_EXISTS')) return requireSame(call, check.id, body)
  if (!ok) throw errorReply(status, text)
  if (!isDryRun) return
  const { valid, faults } = dryRunOf(text)
  if (!valid)
    throw new CommandFailure(
      `The check ${check.id} cannot be moved: ${faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}`,
    )
}

const dryRunOf = (text: string): Schemas['DryRun'] => JSON.parse(text)
