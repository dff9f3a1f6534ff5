// Health check of a container: exits with 0 if the process answers on ADMIN_PORT, or on the port given as parameter.

import process from 'node:process'

const port = process.argv[2] ?? process.env.ADMIN_PORT
const isHealthy = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) }).then(
  ({ ok }) => ok,
  () => false,
)
process.exitCode = isHealthy ? 0 : 1
