// @slow clickhouse
import { describe } from 'vitest'
import { openDatabaseDestination } from '../../src/store/clickhouse/database-contents.ts'
import { openFolderDestination } from '../../src/store/embedded/folder-contents.ts'
import { needing } from '../support/needs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { describeTransfer } from '../support/transfer-conformance.ts'
import { testDatabases, testMetrics } from './databases.ts'
import { serverMissing } from './engines/server.ts'

describe('results that are migrated between a data folder and ClickHouse', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  const databases = testDatabases()
  const openDatabase = async () => {
    const database = databases.take()
    const contents = await openDatabaseDestination({ server: databases.serverOf(database), metrics: testMetrics, warn: () => {} })
    return { contents, empty: () => databases.empty(database) }
  }

  describeTransfer('from a data folder to ClickHouse', async () => {
    const { contents: destination, empty } = await openDatabase()
    return { source: await openFolderDestination(temporaryFolder()), destination, dispose: empty }
  })

  describeTransfer('from ClickHouse to a data folder', async () => {
    const { contents: source, empty } = await openDatabase()
    return { source, destination: await openFolderDestination(temporaryFolder()), dispose: empty }
  })
})
