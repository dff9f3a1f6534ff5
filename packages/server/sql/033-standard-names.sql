-- Owner: all features. Tables, columns and codes take the standard terms of the field; no row changes its meaning.

alter table money_case rename to reconciliation_exception;
alter table reconciliation_exception rename column is_decided to resolved_manually;
alter table reconciliation_exception rename constraint money_case_pkey to reconciliation_exception_pkey;
alter table reconciliation_exception rename constraint money_case_check to reconciliation_exception_closed;
alter table reconciliation_exception rename constraint money_case_check1 to reconciliation_exception_resolved;
alter table reconciliation_exception rename constraint money_case_taken_up to reconciliation_exception_taken_up;
alter index money_case_decided rename to reconciliation_exception_resolved_manually;
alter index money_case_open rename to reconciliation_exception_open;
alter table reconciliation_exception drop constraint money_case_kind_check;
update reconciliation_exception set kind = case kind
  when 'missing_here' then 'missing_internal' when 'missing_there' then 'missing_external' else 'unmatched' end
 where kind in ('missing_here', 'missing_there', 'unplaced');
alter table reconciliation_exception add constraint reconciliation_exception_kind_check
  check (kind in ('missing_internal', 'missing_external', 'amount_differs', 'unmatched', 'loss', 'ledger_differs'));
alter table reconciliation_run rename column undecided to unresolved;

alter table payment rename column asked_at to last_polled_at;
alter table payment rename column asked_token to submitted_token;
alter table payment rename column cancel_asked_at to cancel_requested_at;
alter table payment rename column terms to locked_price;
alter index payment_asked_token rename to payment_submitted_token;
alter table payout rename column asked_at to last_polled_at;
alter table payout rename column asked_token to submitted_token;
alter index payout_asked_token rename to payout_submitted_token;
alter table quote rename column terms to locked_price;
alter table bank_link rename column asked_at to last_polled_at;
alter table kyc_submission rename column asked_at to last_polled_at;
alter table forgotten_method rename to detached_instrument;
alter table detached_instrument rename column asked_at to last_polled_at;
alter table detached_instrument rename constraint forgotten_method_pkey to detached_instrument_pkey;
alter table detached_instrument rename constraint forgotten_method_kind_check to detached_instrument_kind_check;
alter index forgotten_method_asked rename to detached_instrument_polled;

alter table proof rename to step_up_confirmation;
alter table step_up_confirmation rename column proved_at to confirmed_at;
alter table step_up_confirmation rename constraint proof_pkey to step_up_confirmation_pkey;
alter table step_up_confirmation rename constraint proof_failures_check to step_up_confirmation_failures_check;
alter table step_up_confirmation rename constraint proof_session_id_fkey to step_up_confirmation_session_id_fkey;
alter table step_up_confirmation rename constraint proof_user_id_fkey to step_up_confirmation_user_id_fkey;
alter index proof_expires_at rename to step_up_confirmation_expires_at;
alter index proof_session rename to step_up_confirmation_session;
alter table passkey_ceremony drop constraint passkey_ceremony_purpose_check;
update passkey_ceremony set purpose = 'step_up' where purpose = 'proof';
alter table passkey_ceremony add constraint passkey_ceremony_purpose_check
  check (purpose in ('sign_in', 'second_factor', 'register', 'step_up'));

alter table session rename column door to sign_in_method;
alter table sign_in_challenge rename column door to sign_in_method;
alter table app_user rename column owner_proven_at to owner_verified_at;
alter table mailed_link drop constraint mailed_link_purpose_check;
update mailed_link set purpose = 'unrecognized_sign_in' where purpose = 'not_me';
alter table mailed_link add constraint mailed_link_purpose_check
  check (purpose in ('log_in', 'verify_email', 'change_email', 'reset_password', 'unrecognized_sign_in'));
update mail set template = 'step_up_code' where template = 'proof_code';

alter function announce_transactions rename to create_pending_transactions;
alter function withdraw_announcement rename to fail_pending_transaction;
