import { Command } from 'commander'
import { editorSchemas } from '../../catalogue/config-file/editor-schema.ts'
import type { Context } from '../context.ts'

export function schemaCommand({ stdout }: Context): Command {
  return new Command('schema')
    .description('Print the JSON schema of the config file, for completion and validation in editors.')
    .option('--included', 'print the schema of included files')
    .addHelpText('after', '\nIn the first line of a file: # yaml-language-server: $schema=http://127.0.0.1:8787/tidemark.schema.json')
    .action(({ included }: { included?: true }) => {
      const schema = included ? editorSchemas.included() : editorSchemas.config()
      stdout.write(`${JSON.stringify(schema, null, 2)}\n`)
    })
}
