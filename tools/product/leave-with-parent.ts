// Preloaded in every supervised process: ends it when the supervisor is gone, so that nothing holds ports and
// connections.

const hangingAfterMs = 10_000

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), hangingAfterMs).unref()
  process.kill(process.pid, 'SIGTERM')
})
// Listening alone must not keep the process alive.
process.channel?.unref()
