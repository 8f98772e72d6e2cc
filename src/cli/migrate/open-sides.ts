import { existsSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readConfig } from '../../catalogue/open.ts'
import { DatabaseError } from '../../store/clickhouse/server-errors.ts'
import { databaseFile } from '../../store/embedded/disk/database.ts'
import { DataFolderInUse } from '../../store/embedded/disk/errors.ts'
import { openDestination, openSource, type StoreRef } from '../../store/open.ts'
import type { Contents, Destination } from '../../store/transfer/contents.ts'
import { CommandFailure, type Context } from '../context.ts'
import { failCommand } from '../data-folder.ts'
import { clickHouseServer } from '../remote/clickhouse-server.ts'

export type Sides = { readonly source: Contents; readonly destination: Destination; close(): Promise<void> }
type SidePaths = { readonly from: string; readonly to: string; readonly config: string }

export async function openSides(context: Context, { from, to, config }: SidePaths): Promise<Sides> {
  const [sourcePlace, destinationPlace] = [await placeOf(context, from, config), await placeOf(context, to, config)]
  if (isSame(sourcePlace, destinationPlace)) throw new CommandFailure(`--from and --to are the same place: ${from}`)
  if ('directory' in sourcePlace && !existsSync(databaseFile(sourcePlace.directory)))
    throw new CommandFailure(`No results in the folder ${from}. Set the data folder with --from.`)
  const source = await openSource(sourcePlace).catch(failOpening)
  const destination = await openDestination(destinationPlace).catch(async (error) => {
    await source.close()
    return failOpening(error)
  })
  return {
    source,
    destination,
    async close() {
      await source.close()
      await destination.close()
    },
  }
}

async function placeOf(context: Context, text: string, config: string): Promise<StoreRef> {
  if (!/^https?:\/\//.test(text)) return { directory: folderOf(text) }
  if (!URL.canParse(text)) throw new CommandFailure(`${text} is not a URL such as http://user:password@127.0.0.1:8123/tidemark.`)
  const { stderr } = context
  const server = await clickHouseServer({ clickHouseUrl: text }, await configured(context, text, config), dirname(resolve(config)))
  if (!server) throw new CommandFailure(`${text} is not the address of a ClickHouse server.`)
  const warn = (problem: unknown) => void stderr.write(`${problem}\n`)
  return { server, log: warn, warn }
}

/** Credentials of the config file are used only for the server of the config file. */
async function configured({ env }: Context, url: string, config: string) {
  if (!existsSync(config)) return null
  const { clickhouse } = (await readConfig(config, env)).service
  return clickhouse && new URL(clickhouse.url).origin === new URL(url).origin ? clickhouse : null
}

/** Rejects mistyped addresses, which would otherwise create a folder with that name. */
function folderOf(text: string): string {
  if (/^[a-z+]+:\/\//i.test(text) || (/^[\w.-]+:\d+(\/|$)/.test(text) && !existsSync(text)))
    throw new CommandFailure(`${text} is neither a folder nor a URL that begins with http:// or https://.`)
  return text
}

function isSame(a: StoreRef, b: StoreRef): boolean {
  if ('directory' in a) return 'directory' in b && realPath(a.directory) === realPath(b.directory)
  return !('directory' in b) && a.server.url === b.server.url && a.server.database === b.server.database
}

const realPath = (folder: string) => (existsSync(folder) ? realpathSync(folder) : resolve(folder))

function failOpening(error: unknown): never {
  if (error instanceof DatabaseError) throw new CommandFailure(error.message)
  if (error instanceof DataFolderInUse)
    throw new CommandFailure('The data folder of --to is in use by a server. Stop it first: only the source may be in use.')
  return failCommand(error)
}
