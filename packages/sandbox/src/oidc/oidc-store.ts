import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Store } from '../server/store.ts'

const readCurrentSeconds = (): number => Math.floor(Date.now() / 1000)

/** Creates the persistent storage for one kind of the OpenID provider's records. */
export function createOidcAdapter(store: Store, kind: string): Adapter {
  function find(column: 'id' | 'uid', value: string): AdapterPayload | undefined {
    const row = store.get<{ payload: string }>(
      `select payload from oidc_record where kind = ? and ${column} = ? and (expires_at is null or expires_at > ?)`,
      kind,
      value,
      readCurrentSeconds(),
    )
    return row && (JSON.parse(row.payload) as AdapterPayload)
  }

  return {
    async upsert(id, payload, expiresIn) {
      store.run('delete from oidc_record where expires_at <= ?', readCurrentSeconds())
      store.replace('oidc_record', {
        kind,
        id,
        uid: payload.uid ?? null,
        grant_id: payload.grantId ?? null,
        payload: JSON.stringify(payload),
        expires_at: expiresIn ? readCurrentSeconds() + expiresIn : null,
      })
    },
    find: async (id) => find('id', id),
    findByUid: async (uid) => find('uid', uid),
    findByUserCode: async () => undefined,
    async consume(id) {
      store.run(
        `update oidc_record set payload = json_set(payload, '$.consumed', ?) where kind = ? and id = ?`,
        readCurrentSeconds(),
        kind,
        id,
      )
    },
    async destroy(id) {
      store.run('delete from oidc_record where kind = ? and id = ?', kind, id)
    },
    async revokeByGrantId(grantId) {
      store.run('delete from oidc_record where grant_id = ?', grantId)
    },
  }
}
