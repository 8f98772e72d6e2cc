// @slow
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { describeTransfer } from '../../../test/support/transfer-conformance.ts'
import { openFolderContents, openFolderDestination } from '../embedded/folder-contents.ts'

describeTransfer('from a data folder to another', async () => {
  return { source: await openFolderDestination(temporaryFolder()), destination: await openFolderDestination(temporaryFolder()) }
})

test('a folder can be claimed only while nobody writes to it', async () => {
  const directory = temporaryFolder()
  const writing = await openFolderDestination(directory)
  const contents = openFolderContents(directory)
  expect(contents.claim?.()).toBeNull()
  await writing.close()
  const release = contents.claim?.()
  await expect(openFolderDestination(directory)).rejects.toThrow('Another Tidemark')
  release?.()
  await (await openFolderDestination(directory)).close()
  await contents.close()
})
