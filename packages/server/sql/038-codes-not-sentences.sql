-- Owner: all features. What was written as an English sentence becomes a code with its parameters; the sentences are looked up
-- in the catalogue of messages when somebody reads them. No row changes its meaning, and no constraint lets prose in again.

update provider_event set outcome = trim(both '_' from regexp_replace(lower(outcome), '[^a-z]+', '_', 'g'));
alter table provider_event add constraint provider_event_outcome_is_code check (outcome ~ '^[a-z_]+$');

update session set revoked_reason = case revoked_reason
    when 'disowned by mail' then 'reported_unrecognized'
    when 'address proven by somebody else' then 'address_verified_by_another'
    when 'ended by its owner' then 'ended_by_owner'
    else trim(both '_' from regexp_replace(lower(revoked_reason), '[^a-z]+', '_', 'g')) end
 where revoked_reason is not null;
alter table session add constraint session_revoked_reason_is_code check (revoked_reason ~ '^[a-z_]+$');

update mail set given_up_reason = case given_up_reason
    when 'It could not be delivered while it was of use' then 'outlived' else 'refused' end
 where given_up_reason is not null;
alter table mail add constraint mail_given_up_reason_is_code check (given_up_reason ~ '^[a-z_]+$');

update kyc_submission set reasons = (
    select jsonb_agg(jsonb_build_object('field', reason ->> 'field', 'code', case reason ->> 'message'
        when 'A person is looking at this by hand.' then 'reviewed_by_hand'
        when 'We could not read the document number. Please check it and send it again.' then 'document_unreadable'
        else 'not_confirmed' end) order by place)
      from jsonb_array_elements(reasons) with ordinality as listed (reason, place))
 where reasons <> '[]';
alter table kyc_submission add constraint kyc_submission_reasons_are_codes
  check (not jsonb_path_exists(reasons, '$[*] ? (exists (@.message) || !(@.code like_regex "^[a-z_]+$"))'));

alter table payment add constraint payment_reason_is_code check (reason ~ '^[a-z_]+$');

update payout set reason = case reason
    when 'account_closed' then 'account_closed' when 'payout_method_closed' then 'account_closed'
    when 'The account is closed.' then 'account_closed'
    when 'account_frozen' then 'account_frozen' when 'The account is frozen.' then 'account_frozen'
    when 'bank_account_restricted' then 'account_restricted' when 'payout_method_restricted' then 'account_restricted'
    when 'The bank does not allow this payment to the account.' then 'account_restricted'
    when 'could_not_process' then 'not_processed' when 'The bank could not process the payment.' then 'not_processed'
    when 'debit_not_authorized' then 'not_authorized' when 'The account does not allow this payment.' then 'not_authorized'
    when 'declined' then 'declined' when 'payout_method_declined' then 'declined' when 'The bank turned it down.' then 'declined'
    when 'incorrect_account_holder_name' then 'holder_name_differs'
    when 'payout_method_holder_name_incorrect' then 'holder_name_differs'
    when 'The name of the account’s holder does not fit.' then 'holder_name_differs'
    when 'invalid_account_number' then 'unknown_account_number'
    when 'payout_method_invalid_account_number' then 'unknown_account_number'
    when 'The bank does not know this account number.' then 'unknown_account_number'
    when 'invalid_currency' then 'wrong_currency' when 'payout_method_currency_unsupported' then 'wrong_currency'
    when 'The account does not take this currency.' then 'wrong_currency'
    when 'no_account' then 'account_not_found' when 'payout_method_does_not_exist' then 'account_not_found'
    when 'The bank could not find the account.' then 'account_not_found'
    when 'payout_method_amount_limit_exceeded' then 'amount_too_large'
    when 'The amount is more than the account takes at once.' then 'amount_too_large'
    when 'The bank could not credit the account.' then 'not_credited'
    when 'cancelled' then 'cancelled' when 'rejected' then 'rejected' when 'expired' then 'expired'
    else 'not_taken' end
 where reason is not null;
alter table payout add constraint payout_reason_is_code check (reason ~ '^[a-z_]+$');

-- What of such acts is confirmed was bound to its sentences: whoever was about to confirm one is asked once more.
delete from step_up_confirmation where action in ('change_factors', 'link_bank_account', 'withdraw_money');

-- A refusal that is kept with its key: the reason, where more was said than the code does, and the fields with their codes.
create function pg_temp.coded_refusal(code text, details jsonb) returns jsonb language sql as $$
  with reason as (
    select case
        when said ~ '^This person receives [A-Z]+\.$'
          then jsonb_build_object('code', 'recipient_currency', 'params', params)
        when said ~ '^This bank account is kept in [A-Z]+\.$'
          then jsonb_build_object('code', 'account_currency', 'params', params)
        when said ~ '^Your wallet pays out [A-Z]+\.$' then jsonb_build_object('code', 'wallet_currency', 'params', params)
        when said ~ '^This bank account takes [A-Z]+, not [A-Z]+\.$'
          then jsonb_build_object('code', 'account_takes_currency',
            'params', params || jsonb_build_object('accepted', substring(said from 'takes ([A-Z]+),')))
        end as value
      from (select details ->> 'detail' as said,
              jsonb_build_object('currency', substring(details ->> 'detail' from '([A-Z]+)\.$')) as params) as given
  )
  select (details - 'detail' - 'errors')
      || case when reason.value is null then '{}' else jsonb_build_object('reason', reason.value) end
      || case when details ? 'errors' then jsonb_build_object('errors', (
           select jsonb_agg(jsonb_build_object('field', error ->> 'field')
               || coalesce(reason.value, jsonb_build_object('code', code)) order by place)
             from jsonb_array_elements(details -> 'errors') with ordinality as listed (error, place)))
         else '{}' end
    from reason
$$;

update refused_payment set details = pg_temp.coded_refusal(code, details);
alter table refused_payment add constraint refused_payment_is_coded
  check (code ~ '^[a-z_]+$' and not details ? 'detail' and not jsonb_path_exists(details, '$.errors[*].message'));

-- The same in the ledger, and kinds without spaces. No amount, account or decision is touched: only how it is told.
alter table ledger.posting disable trigger history_is_kept;
update ledger.posting set kind = replace(kind, ' ', '_'), refusal_details = pg_temp.coded_refusal(refusal, refusal_details)
 where refusal_details is not null or kind like '% %';
alter table ledger.posting enable trigger history_is_kept;
-- Checked with every posting, so without a regular expression.
alter table ledger.posting add constraint posting_kind_is_code check (strpos(kind, ' ') = 0);

-- As before, and codes only: details come in here alone, and each constraint of postings costs every movement.
create or replace function ledger.refuse(
  movement uuid, hash bytea, movement_kind text, refused_at timestamptz, code text, details jsonb,
  out decision text, out decided_details jsonb
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if code !~ '^[a-z_]+$' or details ? 'detail' or jsonb_path_exists(details, '$.errors[*].message') then
    raise exception 'a refusal is kept as a code with parameters' using errcode = 'check_violation';
  end if;
  -- Waits for whoever is writing this id at the moment.
  insert into ledger.posting (id, request_hash, kind, reference, created_at, refusal, refusal_details)
    values (movement, hash, movement_kind, movement, refused_at, code, details)
    on conflict (id) do nothing;
  select case when posting.request_hash <> hash then 'key_reused' else coalesce(posting.refusal, 'posted') end,
      posting.refusal_details
    into decision, decided_details
    from ledger.posting where posting.id = movement;
end
$$;

-- What the product says of a transaction; people's own notes stand on those they send, and stay as they are.
alter table transaction disable trigger facts_are_kept;
update transaction set description = case
    when kind = 'EXCHANGE' then format('exchange {"from":"%s","to":"%s"}', source_currency, target_currency)
    when description = 'Payment for a transfer' then 'payment_for_transfer'
    when description = 'Payment for a transfer that was not made' then 'payment_for_unmade_transfer'
    when description ~ '^(Bank|Card) payment (refunded|taken back|returned|given back|won back)$'
      then replace(lower(description), ' ', '_')
    when description ~ '^Withdrawal returned by '
      then format('withdrawal_returned {"bank":%s}', to_json(substr(description, 24)))
    when description ~ '^To .*, ending in [^,]*$'
      then format('withdrawal {"bank":%s,"last4":%s}', to_json(substring(description from '^To (.*), ending in [^,]*$')),
        to_json(substring(description from ', ending in ([^,]*)$')))
    when kind = 'DEPOSIT' and payment_source = 'bank' then 'bank_deposit'
    when kind = 'DEPOSIT' then 'card_deposit'
    when payment_source = 'bank' then 'bank_payment_taken_back'
    else 'card_payment_taken_back' end
 where kind in ('DEPOSIT', 'WITHDRAW', 'EXCHANGE');
alter table transaction enable trigger facts_are_kept;

update transfer set description = case kind
    when 'exchange' then format('exchange {"from":"%s","to":"%s"}', locked_price ->> 'sourceCurrency', locked_price ->> 'targetCurrency')
    else format('withdrawal {"bank":%s,"last4":%s}', to_json(substring(description from '^To (.*), ending in [^,]*$')),
      to_json(substring(description from ', ending in ([^,]*)$'))) end
 where kind in ('exchange', 'payout');
alter table transfer add constraint transfer_description_is_code
  check (kind in ('wallet_send', 'funded_send') or description ~ '^[a-z_]+( \{.*\})?$');
-- One constraint for both: each costs every movement.
alter table transaction drop constraint transaction_kind_check, add constraint transaction_kind_and_description
  check (kind in ('SEND', 'RECEIVE')
    or (kind in ('DEPOSIT', 'WITHDRAW', 'EXCHANGE') and description ~ '^[a-z_]+[a-z0-9_]*( \{.*\})?$'));
