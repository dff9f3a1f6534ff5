// Audit rules of the transparency log: its leaves commit to the stored postings, all of them, and its tiles and last
// checkpoint to its leaves.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { sealRules, startDaySql } from './day-seals/seal-rules.ts'

/** SQL: a text after its length in two bytes, as `formatText` of the log encodes it. */
const textSql = (text: string) => `int2send(octet_length(${text})::int2) || convert_to(${text}, 'UTF8')`

/** SQL: bytes of posting `p` with the entries `e`, as `formatLedgerPosting` encodes them. */
const postingBytesSql = `'\\x01'::bytea || uuid_send(p.id) || uuid_send(p.reference)
  || int8send((extract(epoch from p.created_at) * 1000000)::bigint) || ${textSql('p.kind')} || '\\x00'::bytea
  || int2send(coalesce(e.count, 0)::int2) || coalesce(e.bytes, '')`

const entriesSql = `select e.posting_id, count(*) as count, string_agg(${textSql('a.name')} || int8send(e.version) || int2send(e.leg)
      || ${textSql('e.amount::text')} || ${textSql('e.balance::text')}, '' order by a.name collate "C", e.version) as bytes
    from ledger.entry e join ledger.account a on a.id = e.account_id group by e.posting_id`

const leafHashSql = `sha256('\\x00'::bytea || data)`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'leaves of the log commit to the stored postings',
    scope: 'select count(*) from transparency_leaf',
    broken: `select 'leaf ' || l.leaf_index || case when p.id is null then ' names the posting ' || coalesce(l.posting_id::text, '?') || ', which is gone'
        else ' differs from posting ' || p.id end as subject
      from transparency_leaf l
      left join ledger.posting p on p.id = l.posting_id
      left join (${entriesSql}) e on e.posting_id = p.id
      where (l.posting_id is not null or get_byte(l.data, 0) = 1)
        and (p.id is null or p.refusal is not null or get_byte(l.data, 0) <> 1
          or substring(l.data from 2 for 32) is distinct from
            sha256(convert_to(E'tern ledger commitment v1\\n', 'UTF8') || l.ledger_salt || ${postingBytesSql}))`,
  },
  {
    name: 'every posting is in the log',
    scope: 'select count(*) from ledger.posting where refusal is null',
    broken: `select 'posting ' || p.id || ' of transaction ' || p.xid || ' is not in the log' as subject
      from ledger.posting p, transparency_position t
      where t.is_queued and p.refusal is null and (p.xid is null or p.xid < t.position::text::bigint)
        and t.cluster = (select system_identifier from pg_control_system())
        and not exists (select from transparency_leaf l where l.posting_id = p.id)
        and not exists (select from transparency_queue q where q.posting_id = p.id)`,
  },
  {
    name: 'leaves of the log have no gaps',
    scope: 'select count(*) from transparency_leaf',
    broken: `select 'the log has ' || l.count || ' leaves up to ' || coalesce(l.last, -1) || ' and a size of ' || t.size as subject
      from transparency_position t, (select count(*) as count, max(leaf_index) as last from transparency_leaf) l
      where l.count <> t.size or coalesce(l.last, -1) <> t.size - 1`,
    sinceSeal: 'all',
  },
  {
    name: 'tiles of the log agree with its leaves',
    scope: 'select count(*) from transparency_tile',
    // An audit since a seal reads the tiles from the seal's leaf on.
    broken: `with start as materialized (
        select coalesce((select leaf_index from day_seal where day = ${startDaySql}), 0) as leaf
      ), tile as (
        select level, tile_index, hashes from transparency_tile
         where tile_index >= (select leaf from start) >> (8 * (level + 1))
        union all select level, tile_index, hashes from transparency_edge where octet_length(hashes) > 0
      ), expected as (
        select 0 as level, leaf_index / 256 as tile_index, string_agg(${leafHashSql}, '' order by leaf_index) as hashes
          from transparency_leaf where leaf_index >= ((select leaf from start) >> 8) << 8 group by 2
        union all
        select level + 1, tile_index / 256, string_agg(transparency_row_root(hashes), '' order by tile_index)
          from transparency_tile where tile_index >= ((select leaf from start) >> (8 * (level + 2))) << 8 group by 1, 2
      )
      select 'tile ' || coalesce(tile.level, expected.level) || '/' || coalesce(tile.tile_index, expected.tile_index)
          || case when tile.level is null then ' is missing' else ' differs from what is below it' end as subject
      from tile full join expected on expected.level = tile.level and expected.tile_index = tile.tile_index
      where tile.hashes is distinct from expected.hashes`,
    sinceSeal: 'all',
  },
  {
    name: 'the last checkpoint of the log has its root',
    scope: 'select count(*) from transparency_checkpoint',
    broken: `select 'the checkpoint of size ' || c.size || ' has another root' as subject
      from transparency_checkpoint c join transparency_position t on t.size = c.size
      where c.root is distinct from transparency_edge_root(array(select hashes from transparency_edge order by level))
        or c.note not like (select origin from transparency_key) || E'\\n' || c.size || E'\\n' || encode(c.root, 'base64') || E'\\n\\n%'
      union all
      select 'the log has ' || t.size || ' leaves, and a checkpoint of ' || c.size
        from transparency_position t, transparency_checkpoint c where c.size > t.size`,
    sinceSeal: 'all',
  },
  ...sealRules,
]
