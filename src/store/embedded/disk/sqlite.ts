import type { DatabaseSyncInstance } from '@photostructure/sqlite'

export type Database = DatabaseSyncInstance
