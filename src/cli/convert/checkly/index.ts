import { CommandFailure } from '../../context.ts'
import type { ConvertSource } from '../source.ts'
import { convertAlerts } from './alerts.ts'
import { type CheckBody, convertCheckBody, newCheckWorld } from './checks.ts'
import { reportGroups } from './groups.ts'
import { convertWindow } from './maintenance.ts'
import { type AccountBodies, askAccount, savedAccount } from './read-account.ts'

const maxChecks = 100_000

/** The service whose API Tidemark is compatible with. */
export const checkly: ConvertSource = {
  from: 'checkly',
  reads:
    'saved responses of /v1/checks, /v1/check-groups, /v1/variables, /v1/alert-channels and /v1/maintenance-windows, or the API itself with --url and --key',
  asksApi: true,
  async convert({ files, draft, remote, keepFile }) {
    if (remote === null && files.length === 0) throw new CommandFailure('Specify saved responses, or an API with --url and --key.')
    const account: AccountBodies = remote === null ? await savedAccount(files) : await askAccount(remote)
    if (account.checks.length === 0) throw new CommandFailure('The input has no checks: save the response of GET /v1/checks.')
    if (account.checks.length > maxChecks) throw new CommandFailure(`There are more than ${maxChecks} checks.`)
    const world = newCheckWorld({ account, draft, keepFile })
    const converted = new Map<string, { readonly id: string; readonly body: CheckBody }>()
    for (const body of account.checks) {
      const id = convertCheckBody(body, world)
      if (id !== null) converted.set(String(body.id), { id, body })
    }
    reportGroups(account.groups, draft)
    convertAlerts(account, converted, draft)
    for (const window of account.windows) convertWindow(window, draft)
    for (const { what, count } of account.others)
      draft.leftOut(what, `${count} of these are missing from their response, or have no counterpart.`)
    return null
  },
}
