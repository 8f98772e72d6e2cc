import { Command } from 'commander'
import { backUp } from '../store/embedded/disk/backup.ts'
import type { Context } from './context.ts'
import { demandData, tell } from './data-folder.ts'
import { dataOption } from './options.ts'

export function backupCommand(context: Context): Command {
  return new Command('backup')
    .description('Copy all results, as they are at one instant, into a new folder; a running server goes on meanwhile.')
    .argument('<folder>', 'where the copy goes; it is a data folder of its own')
    .addOption(dataOption(context))
    .action(async (destination: string, { data }: { data: string }) => {
      demandData(data)
      await backUp(data, destination).catch(tell)
      context.stdout.write(`All results are in ${destination}. To restore: tidemark serve --data ${destination}\n`)
    })
}
