import { openClient } from './client.ts'
import { startServer, stopServer } from './server.ts'
import { account, checks, configFile, fillOurs, openDuckDB, perCheck } from './world.ts'

/** Fills both stores and starts the server on ours. */
export async function openWorld() {
  console.log(`${checks} checks × ${perCheck.toLocaleString('en')} results over 30 days, and one with ten times as many`)
  const { file, key } = configFile()
  const { directory, bytesPerResult } = await fillOurs()
  const duckdb = await openDuckDB()
  const { server, url } = await startServer(file, directory)
  const client = openClient(url, { authorization: `Bearer ${key}`, 'x-service-account': account })
  return {
    duckdb,
    server,
    url,
    client,
    bytesPerResult,
    async close() {
      await stopServer(server)
      client.close()
    },
  }
}
