import { DatabaseSync } from '@photostructure/sqlite'
import type { Database } from './sqlite.ts'

/** Incremented with every change of the tables or of their encoding; see migrations.ts. */
export const layoutVersion = 9

/** The rhythms of each check, each with its start. */
export const regimeTable = `
  CREATE TABLE IF NOT EXISTS regime (
    series INTEGER NOT NULL, since INTEGER NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (series, since)
  ) WITHOUT ROWID;
`

export const evidenceTable = `
  CREATE TABLE IF NOT EXISTS evidence (
    startedAt INTEGER NOT NULL, series INTEGER NOT NULL, resultId TEXT NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (startedAt, series, resultId)
  );
`

/** When the newest result of a check was stored, if that was well after its start. */
export const arrivalTable = `
  CREATE TABLE IF NOT EXISTS arrival (
    series INTEGER PRIMARY KEY, startedAt INTEGER NOT NULL, arrivedAt INTEGER NOT NULL, crc INTEGER NOT NULL
  );
`

/** Versions of documents written over the API. */
export const documentTable = `
  CREATE TABLE IF NOT EXISTS document (
    position INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, account TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
    at INTEGER NOT NULL, keyId TEXT NOT NULL, keyName TEXT NOT NULL, action TEXT NOT NULL, changes TEXT NOT NULL, body TEXT,
    isHead INTEGER NOT NULL, crc INTEGER NOT NULL,
    PRIMARY KEY (position, ordinal), UNIQUE (account, kind, id, version)
  );
  CREATE INDEX IF NOT EXISTS document_account ON document (account, position, ordinal);
  CREATE INDEX IF NOT EXISTS document_head ON document (position, ordinal) WHERE isHead = 1;
`

const layout = `
  CREATE TABLE IF NOT EXISTS series (
    key INTEGER PRIMARY KEY, account TEXT NOT NULL, checkId TEXT NOT NULL,
    edition INTEGER NOT NULL DEFAULT 0, segments INTEGER NOT NULL DEFAULT 0, days INTEGER NOT NULL DEFAULT 0, fingerprint TEXT, createdAt INTEGER, updatedAt INTEGER,
    UNIQUE (account, checkId)
  );
  CREATE TABLE IF NOT EXISTS hot (
    segment INTEGER PRIMARY KEY, series INTEGER NOT NULL, firstAt INTEGER NOT NULL, results INTEGER NOT NULL,
    crc INTEGER NOT NULL, body BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS hot_series ON hot (series, segment);
  CREATE TABLE IF NOT EXISTS day (
    series INTEGER NOT NULL, day INTEGER NOT NULL, edition INTEGER NOT NULL, results INTEGER NOT NULL, columns TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (series, day)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS column_name (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS chunk (key INTEGER PRIMARY KEY, crc INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS sealed_id (
    series INTEGER NOT NULL, hash INTEGER NOT NULL, day INTEGER NOT NULL, PRIMARY KEY (series, hash, day)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS latest (
    series INTEGER NOT NULL, location TEXT NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (series, location)
  ) WITHOUT ROWID;
  ${regimeTable}
  ${evidenceTable}
  ${arrivalTable}
  ${documentTable}
`

export function createLayout(database: Database): void {
  database.exec(`BEGIN; ${layout} PRAGMA user_version = ${layoutVersion}; COMMIT`)
}

/** Whether the tables match `createLayout`. With damaged definitions, queries would silently find nothing. */
export function hasLayout(database: Database): boolean {
  freshDefinitions ??= definitionsOfFresh()
  return definitionsOf(database) === freshDefinitions
}

let freshDefinitions: string | undefined

function definitionsOfFresh(): string {
  const fresh = new DatabaseSync(':memory:')
  fresh.exec(layout)
  const definitions = definitionsOf(fresh)
  fresh.close()
  return definitions
}

/** The definitions of tables and indexes, normalized: altered tables may differ from new ones in spaces and quotes. */
function definitionsOf(database: Database): string {
  const rows: readonly object[] = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  return rows.map((row) => Object.values(row).join(' ').replaceAll('"', '').replaceAll(/\s+/g, ' ')).join('\n')
}
