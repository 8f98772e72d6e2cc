import { checkKind, documentText } from '../../src/managed/managed-document.ts'
import { createEmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { anyRunType, exampleCheck } from './example-config.ts'

/** Stores a managed check of account `acme` in a data folder, as left by a stopped server. */
export async function storeManagedCheck(directory: string, id: string, name: string): Promise<void> {
  const store = await createEmbeddedStore({ directory, workers: 0, clock: Date.now })
  const body = documentText({ definition: { ...exampleCheck(anyRunType()), id, name }, createdAt: Date.now() })
  const created = { kind: checkKind, account: 'acme', id, expected: 0, action: 'create', changes: '[]', body }
  await store.documents.write([created], { keyId: 'abcdefgh', keyName: 'ann' })
  await store.close()
}
