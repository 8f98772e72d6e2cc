import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { temporaryFolder } from './temporary-folder.ts'

/** Columns of `monitor` in Uptime Kuma 1.23 after all its patches. */
export const monitorColumns1 = `
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name VARCHAR(150), active BOOLEAN DEFAULT 1 NOT NULL, user_id INTEGER,
  interval INTEGER DEFAULT 20 NOT NULL, url TEXT, type VARCHAR(20), weight INTEGER DEFAULT 2000, hostname VARCHAR(255), port INTEGER,
  created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL, keyword VARCHAR(255), maxretries INTEGER DEFAULT 0 NOT NULL,
  ignore_tls BOOLEAN DEFAULT 0 NOT NULL, upside_down BOOLEAN DEFAULT 0 NOT NULL, maxredirects INTEGER DEFAULT 10 NOT NULL,
  accepted_statuscodes_json TEXT DEFAULT '["200-299"]' NOT NULL, dns_resolve_type VARCHAR(5), dns_resolve_server VARCHAR(255),
  dns_last_result VARCHAR(255), retry_interval INTEGER DEFAULT 0 NOT NULL, push_token VARCHAR(20) DEFAULT NULL, method TEXT DEFAULT 'GET' NOT NULL,
  body TEXT, headers TEXT, basic_auth_user TEXT, basic_auth_pass TEXT, docker_host INTEGER, docker_container VARCHAR(255), proxy_id INTEGER,
  expiry_notification BOOLEAN DEFAULT 1, mqtt_topic TEXT, mqtt_success_message VARCHAR(255), mqtt_username VARCHAR(255), mqtt_password VARCHAR(255),
  database_connection_string VARCHAR(2000), database_query TEXT, auth_method VARCHAR(250), auth_domain TEXT, auth_workstation TEXT,
  grpc_url VARCHAR(255), grpc_protobuf TEXT, grpc_body TEXT, grpc_metadata TEXT, grpc_method VARCHAR(255), grpc_service_name VARCHAR(255),
  grpc_enable_tls BOOLEAN DEFAULT 0 NOT NULL, radius_username VARCHAR(255), radius_password VARCHAR(255), radius_calling_station_id VARCHAR(50),
  radius_called_station_id VARCHAR(50), radius_secret VARCHAR(255), resend_interval INTEGER DEFAULT 0 NOT NULL, packet_size INTEGER DEFAULT 56 NOT NULL,
  game VARCHAR(255), http_body_encoding VARCHAR(25), description TEXT, tls_ca TEXT, tls_cert TEXT, tls_key TEXT, parent INTEGER,
  invert_keyword BOOLEAN DEFAULT 0 NOT NULL, json_path TEXT, expected_value VARCHAR(255), kafka_producer_topic VARCHAR(255),
  kafka_producer_brokers TEXT, kafka_producer_sasl_options TEXT, kafka_producer_message TEXT, oauth_client_id TEXT, oauth_client_secret TEXT,
  oauth_token_url TEXT, oauth_scopes TEXT, oauth_auth_method TEXT, timeout DOUBLE DEFAULT 0 NOT NULL, gamedig_given_port_only BOOLEAN DEFAULT 1 NOT NULL,
  kafka_producer_ssl BOOLEAN DEFAULT 0 NOT NULL, kafka_producer_allow_auto_topic_creation BOOLEAN DEFAULT 0 NOT NULL`

/** Columns added by 2.x. */
export const monitorColumns2 = `
  mqtt_check_type VARCHAR(255) DEFAULT 'keyword' NOT NULL, remote_browser INTEGER, snmp_oid VARCHAR(255), snmp_version TEXT DEFAULT '2c',
  json_path_operator VARCHAR(255), cache_bust BOOLEAN DEFAULT 0 NOT NULL, conditions TEXT DEFAULT '[]' NOT NULL, rabbitmq_nodes TEXT,
  rabbitmq_username VARCHAR(255), rabbitmq_password VARCHAR(255), smtp_security VARCHAR(255), ws_ignore_sec_websocket_accept_header BOOLEAN DEFAULT 0 NOT NULL,
  ws_subprotocol VARCHAR(255) DEFAULT '' NOT NULL, ping_count INTEGER DEFAULT 1 NOT NULL, ping_numeric BOOLEAN DEFAULT 1 NOT NULL,
  ping_per_request_timeout INTEGER DEFAULT 2 NOT NULL, ip_family VARCHAR(4), manual_status SMALLINT, oauth_audience VARCHAR(255),
  mqtt_websocket_path VARCHAR(255), domain_expiry_notification BOOLEAN DEFAULT 0, save_response BOOLEAN DEFAULT 0 NOT NULL,
  save_error_response BOOLEAN DEFAULT 1 NOT NULL, response_max_length INTEGER DEFAULT 1024 NOT NULL, system_service_name VARCHAR(255),
  subtype VARCHAR(10), location VARCHAR(255), protocol VARCHAR(20), snmp_v3_username VARCHAR(255), expected_tls_alert VARCHAR(50),
  retry_only_on_status_code_failure BOOLEAN DEFAULT 0 NOT NULL, screenshot_delay INTEGER DEFAULT 0 NOT NULL, ntp_stratum_threshold INTEGER DEFAULT 5,
  ntp_time_offset_threshold INTEGER DEFAULT 1000, ntp_root_dispersion_threshold INTEGER DEFAULT 500, bearer_token TEXT, gamedig_token TEXT`

const tables = `
  CREATE TABLE heartbeat (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, important BOOLEAN NOT NULL DEFAULT 0, monitor_id INTEGER NOT NULL,
    status SMALLINT NOT NULL, msg TEXT, time DATETIME NOT NULL, ping INTEGER, duration INTEGER NOT NULL DEFAULT 0, down_count INTEGER DEFAULT 0 NOT NULL);
  CREATE INDEX monitor_time_index ON heartbeat (monitor_id, time);
  CREATE TABLE notification (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255), active BOOLEAN NOT NULL DEFAULT 1, user_id INTEGER NOT NULL DEFAULT 1,
    is_default BOOLEAN DEFAULT 0 NOT NULL, config TEXT);
  CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY NOT NULL, monitor_id INTEGER NOT NULL, notification_id INTEGER NOT NULL);
  CREATE TABLE tag (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name VARCHAR(255) NOT NULL, color VARCHAR(255) NOT NULL,
    created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL);
  CREATE TABLE monitor_tag (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, monitor_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, value TEXT);
  CREATE TABLE maintenance (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title VARCHAR(150) NOT NULL, description TEXT NOT NULL DEFAULT '', user_id INTEGER,
    active BOOLEAN NOT NULL DEFAULT 1, strategy VARCHAR(50) NOT NULL DEFAULT 'single', start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME,
    weekdays VARCHAR2(250) DEFAULT '[]', days_of_month TEXT DEFAULT '[]', interval_day INTEGER, cron TEXT, timezone VARCHAR(255), duration INTEGER);
  CREATE TABLE monitor_maintenance (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, monitor_id INTEGER NOT NULL, maintenance_id INTEGER NOT NULL);
  CREATE TABLE setting (id INTEGER PRIMARY KEY AUTOINCREMENT, key VARCHAR(200) NOT NULL UNIQUE, value TEXT, type VARCHAR(20));
  CREATE TABLE status_page (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, slug VARCHAR(255) NOT NULL UNIQUE, title VARCHAR(255) NOT NULL,
    icon VARCHAR(255) NOT NULL, theme VARCHAR(30) NOT NULL);
  CREATE TABLE incident (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title VARCHAR(255) NOT NULL, content TEXT NOT NULL);
  CREATE TABLE docker_host (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, user_id INTEGER NOT NULL, docker_daemon VARCHAR(255), docker_type VARCHAR(255), name VARCHAR(255));
  CREATE TABLE "group" (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255) NOT NULL, public BOOLEAN DEFAULT 0 NOT NULL);
  CREATE TABLE monitor_group (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, group_id INTEGER NOT NULL);
  CREATE TABLE status_page_cname (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, status_page_id INTEGER, domain VARCHAR(255) NOT NULL UNIQUE);
  CREATE TABLE maintenance_status_page (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, status_page_id INTEGER NOT NULL, maintenance_id INTEGER NOT NULL);
  CREATE TABLE maintenance_timeslot (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, maintenance_id INTEGER NOT NULL, start_date DATETIME NOT NULL, end_date DATETIME);
  CREATE TABLE monitor_tls_info (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, info_json TEXT);
  CREATE TABLE notification_sent_history (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, type VARCHAR(50) NOT NULL, monitor_id INTEGER NOT NULL, days INTEGER NOT NULL);
  CREATE TABLE api_key (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "key" VARCHAR(255) NOT NULL, name VARCHAR(255) NOT NULL, user_id INTEGER NOT NULL);
  CREATE TABLE user (id INTEGER PRIMARY KEY AUTOINCREMENT, username VARCHAR(255) NOT NULL UNIQUE, password VARCHAR(255));
  CREATE TABLE proxy (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, protocol VARCHAR(10) NOT NULL, host VARCHAR(255) NOT NULL, port SMALLINT NOT NULL);`

const tables2 = `
  CREATE TABLE remote_browser (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255) NOT NULL, url VARCHAR(255) NOT NULL, user_id INTEGER);
  CREATE TABLE domain_expiry (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, last_check DATETIME, domain VARCHAR(255) NOT NULL UNIQUE, expiry DATETIME);
  CREATE TABLE stat_hourly (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, up SMALLINT NOT NULL, down SMALLINT NOT NULL);
  CREATE TABLE stat_minutely (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, up SMALLINT NOT NULL, down SMALLINT NOT NULL);
  ALTER TABLE heartbeat ADD end_time DATETIME; ALTER TABLE heartbeat ADD retries INTEGER DEFAULT 0 NOT NULL; ALTER TABLE heartbeat ADD response TEXT;
  ALTER TABLE maintenance ADD last_start_date DATETIME;
  CREATE TABLE knex_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255), batch INTEGER, migration_time DATETIME);
  CREATE TABLE stat_daily (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, ping FLOAT NOT NULL,
    up SMALLINT NOT NULL, down SMALLINT NOT NULL, ping_min FLOAT, ping_max FLOAT, extras TEXT);`

const definitions = [...`${tables}${tables2}`.matchAll(/CREATE TABLE "?(\w+)"? \(([^;]*)\);/g)]

/** All tables of 2.x except `monitor`. */
export const kumaTables: readonly string[] = definitions.map(([, name = '']) => name)

/** A row of a table with all required columns. */
export function sampleRow(table: string): Readonly<Record<string, string | number>> {
  const columns = definitions.find(([, name]) => name === table)?.[2] ?? ''
  const required = [...columns.matchAll(/"?(\w+)"? (?:VARCHAR2?|TEXT|INTEGER|SMALLINT|FLOAT|DATETIME)[^,]*NOT NULL/g)].map(
    ([, name = '']) => name,
  )
  return Object.fromEntries(required.map((name) => [name, 7]))
}

export type KumaRows = Readonly<Record<string, readonly Readonly<Record<string, string | number | null>>[]>>

/** A database of Uptime Kuma with these rows and the schema of a version. */
export function kumaDatabase(rows: KumaRows, version: 1 | 2 = 1): string {
  const file = join(temporaryFolder(), 'kuma.db')
  const database = new DatabaseSync(file)
  const columns = version === 1 ? monitorColumns1 : `${monitorColumns1}, ${monitorColumns2}`
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE monitor (${columns}); ${tables} ${version === 2 ? tables2 : ''}`)
  database.exec('BEGIN')
  for (const [table, entries] of Object.entries(rows)) {
    for (const entry of entries) {
      const names = Object.keys(entry)
      const marks = names.map(() => '?').join()
      database.prepare(`INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join()}) VALUES (${marks})`).run(...Object.values(entry))
    }
  }
  database.exec('COMMIT')
  database.close()
  return file
}
