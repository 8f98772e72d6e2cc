/** Defaults of Uptime Kuma. */
export const monitorDefaults: Readonly<Record<string, unknown>> = {
  maxredirects: 10,
  method: 'GET',
  accepted_statuscodes_json: '["200-299"]',
  packet_size: 56,
  gamedig_given_port_only: true,
  mqtt_check_type: 'keyword',
  snmp_version: '2c',
  conditions: '[]',
  ping_count: 1,
  ping_numeric: true,
  ping_per_request_timeout: 2,
  save_error_response: true,
  response_max_length: 1024,
  ntp_stratum_threshold: 5,
  ntp_time_offset_threshold: 1000,
  ntp_root_dispersion_threshold: 500,
  http_body_encoding: 'json',
  kafka_producer_brokers: '[]',
  kafka_producer_sasl_options: '{"mechanism":"None"}',
  rabbitmq_nodes: '[]',
  headers: '',
  json_path_operator: '==',
  dns_resolve_type: 'A',
  dns_resolve_server: '1.1.1.1',
  smtp_security: 'none',
  expected_tls_alert: 'none',
  // Defaults of its form, whatever the type.
  url: 'https://',
  oauth_auth_method: 'client_secret_basic',
}

/** Columns that say nothing about what is checked. */
export const notSettings: readonly string[] = [
  'id',
  'position',
  'name',
  'type',
  'user_id',
  'weight',
  'created_date',
  'dns_last_result',
  'manual_status',
]

/** Why a setting is lost, where the reason is not that there is nothing like it. */
export const reasons: Readonly<Record<string, string>> = {
  proxy_id: 'Checks use no proxies.',
  cache_bust: 'Addresses are called as they are.',
  packet_size: 'The size of echo requests is fixed.',
  ping_per_request_timeout: 'There is one timeout for all echo requests of a run.',
  remote_browser: 'Browsers run where Tidemark runs.',
  screenshot_delay: 'A screenshot is taken where a run fails.',
  domain_expiry_notification: 'Domains are not looked up.',
  save_response: 'What is kept of a run is set by evidence.',
  response_max_length: 'What is kept of a run is set by evidence.',
  save_error_response: 'What is kept of a run is set by evidence.',
  retry_only_on_status_code_failure: 'A run is retried for any failure, or only for network errors.',
  port: 'The port is part of the address.',
  expected_tls_alert: 'TCP checks speak no TLS.',
  maxretries: 'A check that waits for pings is not retried.',
}
