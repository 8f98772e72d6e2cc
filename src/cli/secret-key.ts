import { readFile } from 'node:fs/promises'
import { createVault, type Vault } from '../catalogue/managed/vault.ts'
import type { Settings } from '../config.ts'
import { CommandFailure } from './context.ts'

/** Encrypts secrets with the key from the environment or a file; null without a key. */
export async function openVault({ secretKey, secretKeyFile }: Pick<Settings, 'secretKey' | 'secretKeyFile'>): Promise<Vault | null> {
  if (secretKey === null && secretKeyFile === null) return null
  const name = secretKey === null ? 'TIDEMARK_SECRET_KEY_FILE' : 'TIDEMARK_SECRET_KEY'
  const text = (secretKey ?? (await readKeyFile(secretKeyFile ?? ''))).trim()
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new CommandFailure(`${name} must be a key of 64 hex digits. Create one with: openssl rand -hex 32`)
  return createVault(Buffer.from(text, 'hex'))
}

async function readKeyFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandFailure(`TIDEMARK_SECRET_KEY_FILE: ${path} cannot be read: ${error.message}`)
  })
}
