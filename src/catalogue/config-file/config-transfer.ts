import type { CheckType } from '../../checks/define.ts'
import { sha256 } from '../../ids/sha256.ts'
import type { CheckDefinition } from '../definitions.ts'
import type { Config } from './parse.ts'

/** A config that can be sent between threads: check types, which have functions, are replaced by their names. */
export type SentConfig = { readonly head: Omit<Config, 'checks'>; readonly checks: readonly ThreadCheck[] }
export type ThreadCheck = Omit<CheckDefinition, 'checkType'> & { readonly type: string }

export function toThread({ checks, ...head }: Config): SentConfig {
  return { head, checks: checks.map(({ checkType, ...rest }) => ({ ...rest, type: checkType.type })) }
}

/** Equal for equal checks. The fingerprint alone does not cover secrets, variables and the file of a check. */
export function transferKey({ fingerprint, name, secrets, written, origin }: CheckDefinition): string {
  const template = JSON.stringify(written)
  const isPlain = secrets.length === 0 && !template.includes('${') && origin.file === null && origin.group === null
  return isPlain ? fingerprint : sha256(JSON.stringify([fingerprint, name, secrets, template, origin]))
}

/** Both threads have the same check types. */
export function fromThread({ type, ...rest }: ThreadCheck, checkTypes: readonly CheckType[]): CheckDefinition {
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType) throw new RangeError(`unknown check type ${type}`)
  return { ...rest, checkType }
}
