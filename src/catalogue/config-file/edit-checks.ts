import { isMap, isSeq } from 'yaml'
import { uuidOf } from '../../ids/uuid.ts'
import { editAccount } from './edit-account.ts'

/** The text of the file without these checks of that account, which are written out in its `checks`; everything else stays unchanged. */
export function withoutChecks(text: string, account: string, ids: readonly string[]): string {
  const gone = new Set(ids)
  return editAccount(text, account, (owner) => {
    const checks = owner.get('checks')
    if (!isSeq(checks)) return
    checks.items = checks.items.filter((item) => {
      if (!isMap(item)) return true
      const id = item.get('id') ?? uuidOf([account, String(item.get('name'))])
      return !gone.has(String(id))
    })
  })
}
