import type { Config } from '@react-router/dev/config'
import { finishBuild } from './pack/finish-build.ts'
import { buildDirectory } from './pack/language.ts'
import { paths } from './src/app/paths.ts'

export default {
  appDirectory: 'src',
  buildDirectory,
  ssr: false,
  prerender: Object.values(paths),
  routeDiscovery: { mode: 'initial' },
  buildEnd: ({ reactRouterConfig }) => finishBuild(`${reactRouterConfig.buildDirectory}/client`),
} satisfies Config
