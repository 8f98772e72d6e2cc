import { Type } from '../../schema/typebox.ts'
import { closed, Id, NonEmptyText } from './entry-fields.ts'

const CheckList = Type.Optional(Type.Array(Type.Object({})))

/** Field names are validated by `defaultsFindings`. */
const Defaults = Type.Optional(Type.Object({}, { description: 'a mapping of fields of checks, and of check types to such mappings' }))

const GroupEntry = Type.Object({ id: Id, name: Type.Optional(NonEmptyText), defaults: Defaults, checks: CheckList }, closed)

/** Fields of accounts and included files that define checks. */
export const compositionFields = { defaults: Defaults, groups: Type.Optional(Type.Array(GroupEntry)), checks: CheckList }

export const IncludePattern = Type.String({
  pattern: '^[^\\u0000]{1,1000}$',
  description: 'a path below the folder of this file, such as checks.d/*.yaml',
})

export const IncludedFile = Type.Object({ account: Type.Optional(Id), ...compositionFields }, closed)
