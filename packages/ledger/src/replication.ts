import type pg from 'pg'

/** SQLSTATE "statement completion unknown". */
const unknownState = '40003'

/**
 * Fails the statement of a commit whose wait for a standby was cancelled. PostgreSQL only warns then, and reports
 * success: the commit is in one database and would be lost with it. A repetition under the same key finds out.
 */
export function refuseUnreplicated(client: pg.ClientBase): void {
  client.on('notice', (notice) => {
    if (notice.routine !== 'SyncRepWaitForLSN') return
    const error = Object.assign(new Error(notice.message), { severity: 'ERROR', code: unknownState })
    // As if the server had sent an error. The driver then closes the connection, which gets a success as well.
    ;(client as pg.Client).connection.emit('errorMessage', error)
  })
}
