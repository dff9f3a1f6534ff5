// Everything that the ledger owes to account holders: the money in their wallets, available and on hold.

/**
 * SQL for the balance of every account of a wallet before the time in `$1`: `account_id`, `user_id`, `kind`, `currency`
 * and `balance`. Entries before an account's first one at or after the time count, as in statements.
 */
export const balancesAtSql = `select a.id as account_id, w.user_id, a.kind, a.currency, coalesce(later.balance, a.balance) as balance
    from ledger.account a
    left join wallet w on w.id = split_part(a.name, ':', 2)::uuid
    left join (
      select distinct on (e.account_id) e.account_id, e.balance - e.amount as balance
        from ledger.entry e where e.created_at >= $1::timestamptz order by e.account_id, e.version
    ) later on later.account_id = a.id
   where a.kind in ('wallet', 'hold')`

/** SQL: a text after its length in two bytes, as `formatText` of the log's formats encodes it. */
export const textSql = (text: string) => `int2send(octet_length(${text})::int2) || convert_to(${text}, 'UTF8')`

/** SQL aggregate: sums of rows with `currency`, `scale` and `amount`, as `formatSums` encodes them. */
export const sumsSql = `substring(int2send(count(*)::int2) from 2)
  || coalesce(string_agg(${textSql('currency')} || substring(int2send(scale) from 2) || ${textSql('amount::text')}, ''
    order by currency collate "C"), '')`

const domainSql = (domain: string) => `convert_to(E'${domain}\\n', 'UTF8')`

/** SQL: commitment to a holder under the seed in `$2`, as `deriveSalt` and `commitHolder` compute it. */
const commitmentSql = (holder: string) => `sha256(${domainSql('tern balance holder v1')}
  || sha256(${domainSql('tern balance salt v1')} || $2::bytea || ${textSql(holder)}) || ${textSql(holder)})`

const owedSql = `select b.user_id, b.currency, c.scale, sum(b.balance) as amount
    from (${balancesAtSql}) b join ledger.currency c on c.code = b.currency
   group by b.user_id, b.currency, c.scale having sum(b.balance) <> 0`

/** SQL for the number of holders to whom something is owed before the time in `$1`. */
export const countHoldersSql = `select count(distinct user_id) as count, count(*) filter (where user_id is null) as unowned
    from (${owedSql}) owed`

/**
 * SQL for the leaves of the tree of balances before the time in `$1` under the seed in `$2`, in order: those of all
 * holders, and others without money until they are `$3`.
 */
export const leavesSql = `with owed as (${owedSql}), leaf as (
    select user_id, ${commitmentSql('user_id::text')} as commitment, ${sumsSql} as sums from owed group by user_id
    union all
    select null, ${commitmentSql("'padding ' || number")}, '\\x00'::bytea
      from generate_series(1, $3::bigint - (select count(distinct user_id) from owed)) as number
  )
  select user_id, commitment, sums from leaf order by commitment`
