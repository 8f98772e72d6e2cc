import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Ports = { readonly http: number; readonly tcp: number; readonly interserver: number }

type ServerContext = { readonly host: string; readonly ports: Ports; readonly cluster: string }

/** Writes the configuration of a small server into its folder; returns its path. */
export function writeServerConfig(folder: string, { host, ports, cluster }: ServerContext): string {
  const { http, tcp, interserver } = ports
  mkdirSync(join(folder, 'data'), { recursive: true })
  writeUsers(folder, { password: 'secret', isReadOnly: false })
  const path = join(folder, 'config.xml')
  writeFileSync(
    path,
    `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>${host}</listen_host>
  <http_port>${http}</http_port>
  <tcp_port>${tcp}</tcp_port>
  <interserver_http_port>${interserver}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>33554432</mark_cache_size>
  <max_concurrent_queries>50</max_concurrent_queries>
  <timezone>UTC</timezone>
  ${cluster}
</yandex>
`,
  )
  return path
}

/** The rights of `secured`, a user in addition to `default`, who needs no password. */
export type Secured = { readonly password: string; readonly isReadOnly: boolean }

/** A server reloads its users within seconds of a change. */
export function writeUsers(folder: string, { password, isReadOnly }: Secured): void {
  const users = [user('default', '', 'default'), user('secured', password, isReadOnly ? 'reading' : 'default')]
  writeFileSync(join(folder, 'users.xml'), usersConfig(users))
}

const usersConfig = (users: readonly string[]) => `<yandex>
  <profiles>
    <default>
      <max_memory_usage>1000000000</max_memory_usage>
      <max_query_size>67108864</max_query_size>
      <max_ast_elements>5000000</max_ast_elements>
      <max_expanded_ast_elements>5000000</max_expanded_ast_elements>
      <allow_experimental_low_cardinality_type>1</allow_experimental_low_cardinality_type>
      <background_pool_size>2</background_pool_size>
      <background_schedule_pool_size>2</background_schedule_pool_size>
      <connect_timeout_with_failover_ms>1000</connect_timeout_with_failover_ms>
      <receive_timeout>5</receive_timeout>
      <send_timeout>5</send_timeout>
      <http_receive_timeout>5</http_receive_timeout>
      <http_send_timeout>5</http_send_timeout>
      <insert_quorum_timeout>10000</insert_quorum_timeout>
    </default>
    <reading><readonly>2</readonly></reading>
  </profiles>
  <quotas><default></default></quotas>
  <users>
    ${users.join('\n    ')}
  </users>
</yandex>
`

function user(name: string, password: string, profile: string): string {
  return `<${name}><password>${password}</password><networks><ip>127.0.0.0/8</ip></networks><profile>${profile}</profile><quota>default</quota></${name}>`
}
