-- Written by `npm run schema` from a database that all migrations have made; not to be edited, nor applied.
-- The tables of the job queue (schema graphile_worker) are its library's own and are left out.

create schema ledger;

create type ledger.batch as (
  accounts bigint[],
  tokens uuid[],
  movement_id uuid[],
  movement_hash bytea[],
  movement_kind text[],
  movement_reference uuid[],
  movement_token integer[],
  movement_at timestamp with time zone[],
  movement_quota integer[],
  movement_quota_amount numeric[],
  movement_quota_limit numeric[],
  leg_movement integer[],
  leg_from integer[],
  leg_to integer[],
  leg_amount numeric[],
  leg_code text[],
  movement_holder uuid[],
  movement_keeps_refusal boolean[]
);

create type public.limit_quotas as (
  user_id bigint[],
  day date[],
  usd_minor numeric[],
  movements integer[],
  largest numeric[],
  method_movement integer[],
  method text[]
);

create type public.movement_guards as (
  movement integer[],
  mode text[],
  person bigint[],
  payee text[],
  usd_minor numeric[],
  is_quiet boolean[],
  version bigint[],
  decision uuid[],
  digest bytea[],
  is_trusted boolean[],
  is_new_device boolean[],
  proof_at timestamp with time zone[],
  room_generation bigint[],
  room_until timestamp with time zone[],
  room_payment_usd_minor numeric[],
  room_version bigint[]
);

create type public.restricted_part as (
  reason text,
  origin uuid,
  matures_at timestamp with time zone,
  minor numeric
);

create type public.transaction_rows as (
  movement integer[],
  user_id bigint[],
  kind text[],
  status text[],
  sender_id bigint[],
  recipient_id bigint[],
  wallet_id uuid[],
  from_wallet_id uuid[],
  to_wallet_id uuid[],
  description text[],
  source_amount numeric[],
  source_currency text[],
  target_amount numeric[],
  target_currency text[],
  stablecoin_amount numeric[],
  rate_numerator numeric[],
  rate_denominator numeric[],
  fee_amount numeric[],
  fee_currency text[],
  payment_source text[],
  payment_id uuid[],
  quote_id uuid[]
);

create type public.transaction_settlements as (
  movement integer[],
  id uuid[],
  status text[]
);

create table ledger.account (
  id bigint generated always as identity not null,
  name text not null,
  kind text not null,
  currency text not null,
  floor numeric(38,0),
  balance numeric(38,0) default 0 not null,
  version bigint default 0 not null,
  stripe_of bigint,
  closed boolean default false not null,
  constraint account_closed_is_empty CHECK (((NOT closed) OR (balance = (0)::numeric))),
  constraint account_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint account_floor_is_kept CHECK (((floor IS NULL) OR (balance >= floor))),
  constraint account_name_key UNIQUE (name),
  constraint account_of_user_has_floor CHECK (((kind <> ALL (ARRAY['wallet'::text, 'hold'::text])) OR ((floor IS NOT NULL) AND (floor >= (0)::numeric)))),
  constraint account_of_user_has_no_stripes CHECK (((stripe_of IS NULL) OR (floor IS NULL))),
  constraint account_pkey PRIMARY KEY (id),
  constraint account_without_entries_is_empty CHECK (((version > 0) OR (balance = (0)::numeric)))
) with (fillfactor=50);
CREATE INDEX account_of_system ON ledger.account USING btree (kind, currency) WHERE (floor IS NULL);
CREATE TRIGGER history_is_kept BEFORE DELETE OR TRUNCATE ON ledger.account FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER opens_empty BEFORE INSERT ON ledger.account FOR EACH ROW WHEN (((new.balance <> (0)::numeric) OR (new.version <> 0))) EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER posting_function_writes BEFORE UPDATE ON ledger.account FOR EACH STATEMENT EXECUTE FUNCTION ledger.require_posting_function();

create table ledger.currency (
  code text not null,
  kind text not null,
  scale smallint not null,
  constraint currency_kind_check CHECK ((kind = ANY (ARRAY['fiat'::text, 'stablecoin'::text, 'crypto'::text]))),
  constraint currency_pkey PRIMARY KEY (code),
  constraint currency_scale_check CHECK (((scale >= 0) AND (scale <= 18)))
);
CREATE TRIGGER currency_is_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.currency FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

create table ledger.entry (
  account_id bigint not null,
  version bigint not null,
  posting_id uuid not null,
  leg smallint not null,
  amount numeric(38,0) not null,
  balance numeric(38,0) not null,
  created_at timestamp with time zone not null,
  constraint entry_moves_something CHECK ((amount <> (0)::numeric)),
  constraint entry_pkey PRIMARY KEY (account_id, version)
);
CREATE INDEX entry_created_at ON ledger.entry USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE TRIGGER history_is_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.entry FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER posting_function_writes BEFORE INSERT ON ledger.entry FOR EACH STATEMENT EXECUTE FUNCTION ledger.require_posting_function();

create table ledger.permitted_move (
  from_kind text not null,
  to_kind text not null,
  code text not null,
  same_owner boolean default false not null,
  constraint permitted_move_pkey PRIMARY KEY (from_kind, to_kind, code)
);

create table ledger.posting (
  id uuid not null,
  request_hash bytea not null,
  kind text not null,
  reference uuid not null,
  created_at timestamp with time zone not null,
  refusal text,
  refusal_details jsonb,
  quota_amount numeric(38,0),
  constraint posting_kind_is_code CHECK ((strpos(kind, ' '::text) = 0)),
  constraint posting_pkey PRIMARY KEY (id),
  constraint posting_refusal_has_details CHECK (((refusal IS NOT NULL) OR (refusal_details IS NULL)))
);
CREATE TRIGGER history_is_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.posting FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER posting_function_writes BEFORE INSERT ON ledger.posting FOR EACH STATEMENT EXECUTE FUNCTION ledger.require_posting_function();

create table ledger.token (
  id uuid not null,
  holder uuid not null,
  posting_id uuid,
  constraint token_pkey PRIMARY KEY (id)
);
CREATE TRIGGER history_is_kept BEFORE TRUNCATE ON ledger.token FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER posting_function_writes BEFORE INSERT OR DELETE OR UPDATE ON ledger.token FOR EACH STATEMENT EXECUTE FUNCTION ledger.require_posting_function();
CREATE TRIGGER used_stays_used BEFORE DELETE OR UPDATE ON ledger.token FOR EACH ROW WHEN ((old.posting_id IS NOT NULL)) EXECUTE FUNCTION ledger.refuse_change();

create table public.app_user (
  id bigint not null,
  email text not null,
  username text not null,
  name text,
  first_name text,
  password_hash text,
  email_verified_at timestamp with time zone,
  kyc_status text default 'not_started'::text not null,
  created_at timestamp with time zone not null,
  metadata jsonb default '{}'::jsonb not null,
  pending_email text,
  password_blocked_at timestamp with time zone,
  email_proven_at timestamp with time zone,
  credentials_version bigint default 0 not null,
  deleted_at timestamp with time zone,
  frozen_at timestamp with time zone,
  factor_change text,
  factor_changed_at timestamp with time zone,
  deletion_due_at timestamp with time zone,
  local_name bytea,
  constraint app_user_factor_change CHECK (((factor_change IS NULL) = (factor_changed_at IS NULL))),
  constraint app_user_id_check CHECK (((id >= 1000000000) AND (id <= '9999999999'::bigint))),
  constraint app_user_is_not_deleted_twice CHECK (((deletion_due_at IS NULL) OR (deleted_at IS NULL))),
  constraint app_user_kyc_status_check CHECK ((kyc_status = ANY (ARRAY['not_started'::text, 'pending'::text, 'in_review'::text, 'needs_information'::text, 'verified'::text, 'rejected'::text]))),
  constraint app_user_pkey PRIMARY KEY (id)
);
CREATE INDEX app_user_deletion_due ON public.app_user USING btree (deletion_due_at) WHERE (deletion_due_at IS NOT NULL);
CREATE UNIQUE INDEX app_user_email ON public.app_user USING btree (lower(email));
CREATE INDEX app_user_frozen ON public.app_user USING btree (id) WHERE (frozen_at IS NOT NULL);
CREATE UNIQUE INDEX app_user_username ON public.app_user USING btree (lower(username));
CREATE INDEX app_user_username_prefix ON public.app_user USING btree (lower(username) text_pattern_ops);
CREATE TRIGGER deleted_is_deleted BEFORE DELETE OR UPDATE ON public.app_user FOR EACH ROW WHEN ((old.deleted_at IS NOT NULL)) EXECUTE FUNCTION public.refuse_change_of_deleted_user();
CREATE TRIGGER forget_free_room AFTER UPDATE OF kyc_status ON public.app_user FOR EACH ROW WHEN ((old.kyc_status IS DISTINCT FROM new.kyc_status)) EXECUTE FUNCTION public.forget_free_room();
CREATE TRIGGER forget_send_room AFTER UPDATE OF factor_changed_at ON public.app_user FOR EACH ROW WHEN ((old.factor_changed_at IS DISTINCT FROM new.factor_changed_at)) EXECUTE FUNCTION public.forget_send_room();
CREATE TRIGGER forget_shown_names AFTER UPDATE OF name ON public.app_user FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION public.forget_shown_names();
CREATE TRIGGER hand_over_kyc AFTER UPDATE OF email_verified_at ON public.app_user FOR EACH ROW WHEN (((old.email_verified_at IS NULL) AND (new.email_verified_at IS NOT NULL))) EXECUTE FUNCTION public.hand_over_kyc();
CREATE TRIGGER note_renamed AFTER UPDATE OF username, name ON public.app_user FOR EACH ROW WHEN (((old.username IS DISTINCT FROM new.username) OR (old.name IS DISTINCT FROM new.name))) EXECUTE FUNCTION public.note_renamed();
CREATE TRIGGER open_send_guard AFTER INSERT ON public.app_user FOR EACH ROW EXECUTE FUNCTION public.open_send_guard();
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF frozen_at ON public.app_user FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'frozen_at');
CREATE TRIGGER screen_new_name AFTER UPDATE OF name, first_name ON public.app_user FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.first_name IS DISTINCT FROM new.first_name))) EXECUTE FUNCTION public.screen_again();
comment on column public.app_user.email_proven_at is 'When a mailed link or code was first used by someone signed in to the account, or who signed in by it; null: never.';

create table public.audit_run (
  id uuid not null,
  finished_at timestamp with time zone not null,
  checks integer not null,
  broken integer not null,
  constraint audit_run_check CHECK (((broken >= 0) AND (broken <= checks))),
  constraint audit_run_checks_check CHECK ((checks > 0)),
  constraint audit_run_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_run_last ON public.audit_run USING btree (finished_at);

create table public.balance_day (
  account_id bigint not null,
  day date not null,
  last_version bigint not null,
  money_in numeric(38,0) not null,
  money_out numeric(38,0) not null,
  constraint balance_day_pkey PRIMARY KEY (account_id, day)
);
CREATE UNIQUE INDEX balance_day_version ON public.balance_day USING btree (account_id, last_version);

create table public.bank_account (
  id uuid not null,
  user_id bigint not null,
  provider text not null,
  token text not null,
  fingerprint text not null,
  bank_name text not null,
  last4 text not null,
  currency text not null,
  country text not null,
  is_default boolean not null,
  linked_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  holder_told boolean,
  holder_asked_at timestamp with time zone,
  constraint bank_account_last4_check CHECK (((length(last4) >= 1) AND (length(last4) <= 4))),
  constraint bank_account_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX bank_account_default ON public.bank_account USING btree (user_id) WHERE (is_default AND (removed_at IS NULL));
CREATE UNIQUE INDEX bank_account_once ON public.bank_account USING btree (user_id, provider, fingerprint) WHERE (removed_at IS NULL);
CREATE INDEX bank_account_unasked ON public.bank_account USING btree (holder_asked_at NULLS FIRST, id) WHERE ((holder_told IS NULL) AND (removed_at IS NULL));
CREATE TRIGGER people_are_there BEFORE INSERT ON public.bank_account FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.bank_link (
  id uuid not null,
  user_id bigint not null,
  provider text not null,
  session_id text,
  status text not null,
  bank_account_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_polled_at timestamp with time zone not null,
  login_session_id uuid,
  returned_at timestamp with time zone,
  failed_because text,
  withdrawal_minor bigint,
  withdrawal_fee_minor bigint,
  withdrawal_currency text,
  withdrawal_confirmed_at timestamp with time zone,
  withdrawal_id uuid,
  constraint bank_link_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES public.bank_account(id),
  constraint bank_link_failed_because_check CHECK ((failed_because = 'holder_differs'::text)),
  constraint bank_link_pkey PRIMARY KEY (id),
  constraint bank_link_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'linked'::text, 'canceled'::text, 'failed'::text]))),
  constraint bank_link_withdrawal_fee_minor_check CHECK ((withdrawal_fee_minor >= 0)),
  constraint bank_link_withdrawal_minor_check CHECK ((withdrawal_minor > 0)),
  constraint withdrawal_is_whole CHECK (((num_nulls(withdrawal_minor, withdrawal_fee_minor, withdrawal_currency, withdrawal_confirmed_at) = ANY (ARRAY[0, 4])) AND ((withdrawal_id IS NULL) OR (withdrawal_minor IS NOT NULL))))
);
CREATE INDEX bank_link_pending ON public.bank_link USING btree (last_polled_at) WHERE (status = 'pending'::text);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.bank_link FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.case_policy (
  version integer not null,
  kind text not null,
  decide_hours integer not null,
  escalated_hours integer not null,
  answer_hours integer not null,
  objection_hours integer not null,
  constraint case_policy_answer_hours_check CHECK ((answer_hours > 0)),
  constraint case_policy_decide_hours_check CHECK ((decide_hours > 0)),
  constraint case_policy_escalated_hours_check CHECK ((escalated_hours > 0)),
  constraint case_policy_kind_check CHECK ((kind = ANY (ARRAY['name_match'::text, 'counterparty_name'::text, 'pattern'::text]))),
  constraint case_policy_objection_hours_check CHECK ((objection_hours > 0)),
  constraint case_policy_pkey PRIMARY KEY (version, kind),
  constraint case_policy_version_check CHECK ((version > 0))
);

create table public.changed_topic (
  xid xid8 default pg_current_xact_id() not null,
  user_id bigint not null,
  topic text not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  constraint changed_topic_pkey PRIMARY KEY (xid, user_id, topic),
  constraint changed_topic_topic_check CHECK ((topic ~ '^[a-z]{1,40}$'::text))
);
CREATE INDEX changed_topic_time ON public.changed_topic USING btree (changed_at);
CREATE INDEX changed_topic_user ON public.changed_topic USING btree (user_id, xid);

create table public.compliance_case (
  id uuid not null,
  user_id bigint not null,
  kind text not null,
  state text default 'open'::text not null,
  stops text not null,
  policy_version integer not null,
  evidence jsonb not null,
  need text default 'nothing'::text not null,
  need_by timestamp with time zone,
  decide_by timestamp with time zone not null,
  opened_at timestamp with time zone not null,
  escalated_at timestamp with time zone,
  escalations integer default 0 not null,
  decided_at timestamp with time zone,
  decided_by text,
  counterparty_id uuid,
  constraint compliance_case_check CHECK ((((state = 'open'::text) = (decided_at IS NULL)) AND ((decided_at IS NULL) = (decided_by IS NULL)))),
  constraint compliance_case_check1 CHECK (((need = 'nothing'::text) = (need_by IS NULL))),
  constraint compliance_case_check2 CHECK (((state = 'open'::text) OR (need = 'nothing'::text))),
  constraint compliance_case_counterparty_id_fkey FOREIGN KEY (counterparty_id) REFERENCES public.screening_counterparty(id),
  constraint compliance_case_escalations_check CHECK ((escalations >= 0)),
  constraint compliance_case_evidence_check CHECK ((jsonb_typeof(evidence) = 'object'::text)),
  constraint compliance_case_need_check CHECK ((need = ANY (ARRAY['nothing'::text, 'explanation'::text, 'document'::text]))),
  constraint compliance_case_pkey PRIMARY KEY (id),
  constraint compliance_case_policy_version_kind_fkey FOREIGN KEY (policy_version, kind) REFERENCES public.case_policy(version, kind),
  constraint compliance_case_state_check CHECK ((state = ANY (ARRAY['open'::text, 'cleared'::text, 'confirmed'::text]))),
  constraint compliance_case_stops_check CHECK ((stops = ANY (ARRAY['nothing'::text, 'transfers'::text, 'person'::text]))),
  constraint compliance_case_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE UNIQUE INDEX compliance_case_counterparty ON public.compliance_case USING btree (counterparty_id) WHERE (state = 'open'::text);
CREATE INDEX compliance_case_counterparty_stop ON public.compliance_case USING btree (counterparty_id) WHERE ((stops = 'transfers'::text) AND (state <> 'cleared'::text) AND (counterparty_id IS NOT NULL));
CREATE INDEX compliance_case_due ON public.compliance_case USING btree (decide_by) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX compliance_case_name_match ON public.compliance_case USING btree (user_id) WHERE ((kind = 'name_match'::text) AND (state = 'open'::text));
CREATE INDEX compliance_case_of_user ON public.compliance_case USING btree (user_id, opened_at);
CREATE INDEX compliance_case_stop ON public.compliance_case USING btree (user_id) WHERE ((stops = 'person'::text) AND (state <> 'cleared'::text));
CREATE TRIGGER people_are_there BEFORE INSERT ON public.compliance_case FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF user_id, kind, state, stops, need, need_by, decide_by, opened_at, decided_at, decided_by ON public.compliance_case FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'user_id', 'kind', 'state', 'stops', 'need', 'need_by', 'decide_by', 'opened_at', 'decided_at', 'decided_by');
CREATE TRIGGER transfers_wait_as_long AFTER UPDATE OF decide_by, need_by, state ON public.compliance_case FOR EACH ROW EXECUTE FUNCTION public.follow_case_deadlines();

create table public.compliance_case_transfer (
  case_id uuid not null,
  transfer_id uuid not null,
  linked_at timestamp with time zone not null,
  told_at timestamp with time zone,
  constraint compliance_case_transfer_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.compliance_case(id) ON DELETE CASCADE,
  constraint compliance_case_transfer_pkey PRIMARY KEY (case_id, transfer_id),
  constraint compliance_case_transfer_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES public.transfer(id)
);
CREATE INDEX compliance_case_transfer_of ON public.compliance_case_transfer USING btree (transfer_id);
CREATE INDEX compliance_case_transfer_untold ON public.compliance_case_transfer USING btree (linked_at) WHERE (told_at IS NULL);
CREATE TRIGGER transfers_wait_as_long AFTER INSERT ON public.compliance_case_transfer FOR EACH ROW EXECUTE FUNCTION public.follow_case_deadlines();

create table public.compliance_objection (
  id uuid not null,
  case_id uuid not null,
  user_id bigint not null,
  text text not null,
  state text default 'open'::text not null,
  made_at timestamp with time zone not null,
  decide_by timestamp with time zone not null,
  escalated_at timestamp with time zone,
  escalations integer default 0 not null,
  decided_at timestamp with time zone,
  decided_by text,
  constraint compliance_objection_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.compliance_case(id) ON DELETE CASCADE,
  constraint compliance_objection_check CHECK ((((state = 'open'::text) = (decided_at IS NULL)) AND ((decided_at IS NULL) = (decided_by IS NULL)))),
  constraint compliance_objection_escalations_check CHECK ((escalations >= 0)),
  constraint compliance_objection_pkey PRIMARY KEY (id),
  constraint compliance_objection_state_check CHECK ((state = ANY (ARRAY['open'::text, 'upheld'::text, 'dismissed'::text]))),
  constraint compliance_objection_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 2000))),
  constraint compliance_objection_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX compliance_objection_due ON public.compliance_objection USING btree (decide_by) WHERE (state = 'open'::text);
CREATE INDEX compliance_objection_of_case ON public.compliance_objection USING btree (case_id, made_at);
CREATE INDEX compliance_objection_of_user ON public.compliance_objection USING btree (user_id);
CREATE UNIQUE INDEX compliance_objection_open ON public.compliance_objection USING btree (case_id) WHERE (state = 'open'::text);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.compliance_objection FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF case_id, user_id, state, made_at, decide_by, decided_at, decided_by ON public.compliance_objection FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'case_id', 'user_id', 'state', 'made_at', 'decide_by', 'decided_at', 'decided_by');

create table public.compliance_question (
  id uuid not null,
  case_id uuid not null,
  need text not null,
  requested_at timestamp with time zone not null,
  answer_by timestamp with time zone not null,
  answer text,
  answered_at timestamp with time zone,
  constraint compliance_question_answer_check CHECK (((char_length(answer) >= 1) AND (char_length(answer) <= 2000))),
  constraint compliance_question_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.compliance_case(id) ON DELETE CASCADE,
  constraint compliance_question_check CHECK (((answer IS NULL) = (answered_at IS NULL))),
  constraint compliance_question_need_check CHECK ((need = ANY (ARRAY['explanation'::text, 'document'::text]))),
  constraint compliance_question_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX compliance_question_open ON public.compliance_question USING btree (case_id, requested_at);

create table public.compliance_review (
  id uuid not null,
  case_id uuid not null,
  cause text not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint compliance_review_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.compliance_case(id) ON DELETE CASCADE,
  constraint compliance_review_cause_check CHECK ((cause = ANY (ARRAY['opened'::text, 'more_found'::text, 'answered'::text, 'not_answered'::text]))),
  constraint compliance_review_pkey PRIMARY KEY (id)
);
CREATE INDEX compliance_review_of_case ON public.compliance_review USING btree (case_id);
CREATE UNIQUE INDEX compliance_review_open ON public.compliance_review USING btree (case_id) WHERE (closed_at IS NULL);

create table public.consent (
  id uuid not null,
  user_id bigint not null,
  document text not null,
  version integer,
  given_how text not null,
  given_at timestamp with time zone not null,
  withdrawn_at timestamp with time zone,
  constraint consent_check CHECK (((version IS NULL) = (document ~~ 'mail_%'::text))),
  constraint consent_document_check CHECK ((document = ANY (ARRAY['terms'::text, 'privacy'::text, 'mail_payments'::text, 'mail_requests'::text]))),
  constraint consent_given_how_check CHECK ((given_how = ANY (ARRAY['sign_up'::text, 'settings'::text]))),
  constraint consent_pkey PRIMARY KEY (id),
  constraint consent_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint consent_version_check CHECK ((version > 0))
);
CREATE INDEX consent_by_user ON public.consent USING btree (user_id, given_at);
CREATE UNIQUE INDEX consent_in_force ON public.consent USING btree (user_id, document) WHERE (withdrawn_at IS NULL);
CREATE INDEX consent_withdrawn ON public.consent USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);

create table public.correction_request (
  id uuid not null,
  user_id bigint not null,
  field text not null,
  right_value text not null,
  note text not null,
  state text not null,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  decided_by text,
  answer text,
  constraint correction_request_answer_check CHECK (((length(answer) >= 1) AND (length(answer) <= 1000))),
  constraint correction_request_check CHECK ((due_at > created_at)),
  constraint correction_request_check1 CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  constraint correction_request_check2 CHECK (((state = 'open'::text) = ((answer IS NULL) AND (decided_by IS NULL)))),
  constraint correction_request_decided_by_check CHECK (((length(decided_by) >= 1) AND (length(decided_by) <= 80))),
  constraint correction_request_field_check CHECK ((field ~ '^[a-z][a-z_]{1,40}$'::text)),
  constraint correction_request_note_check CHECK ((length(note) <= 1000)),
  constraint correction_request_pkey PRIMARY KEY (id),
  constraint correction_request_right_value_check CHECK (((length(right_value) >= 1) AND (length(right_value) <= 200))),
  constraint correction_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'corrected'::text, 'declined'::text]))),
  constraint correction_request_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX correction_request_due ON public.correction_request USING btree (due_at) WHERE (state = 'open'::text);
CREATE INDEX correction_request_old ON public.correction_request USING btree (decided_at) WHERE (decided_at IS NOT NULL);
CREATE UNIQUE INDEX correction_request_open ON public.correction_request USING btree (user_id, field) WHERE (state = 'open'::text);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.correction_request FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.data_access (
  id uuid not null,
  user_id bigint not null,
  at timestamp with time zone not null,
  role text not null,
  operator text,
  purpose text not null,
  what text[] not null,
  constraint data_access_operator_check CHECK (((length(operator) >= 1) AND (length(operator) <= 40))),
  constraint data_access_pkey PRIMARY KEY (id),
  constraint data_access_purpose_check CHECK ((purpose ~ '^[a-z][a-z_]{1,60}$'::text)),
  constraint data_access_role_check CHECK ((role ~ '^[a-z][a-z_]{1,40}$'::text)),
  constraint data_access_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint data_access_what_check CHECK (((cardinality(what) >= 1) AND (cardinality(what) <= 20)))
);
CREATE INDEX data_access_by_user ON public.data_access USING btree (user_id, at DESC, id DESC);
CREATE INDEX data_access_old ON public.data_access USING btree (at);

create table public.database_cluster (
  only_one boolean default true not null,
  identifier bigint not null,
  constraint database_cluster_only_one_check CHECK (only_one),
  constraint database_cluster_pkey PRIMARY KEY (only_one)
);

create table public.demo_seed (
  only_one boolean default true not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint demo_seed_only_one_check CHECK (only_one),
  constraint demo_seed_pkey PRIMARY KEY (only_one)
);

create table public.desk_ceremony (
  id uuid not null,
  challenge text not null,
  enrolment_hash bytea,
  expires_at timestamp with time zone not null,
  constraint desk_ceremony_enrolment_hash_fkey FOREIGN KEY (enrolment_hash) REFERENCES public.desk_enrolment(hash) ON DELETE CASCADE,
  constraint desk_ceremony_pkey PRIMARY KEY (id)
);
CREATE INDEX desk_ceremony_enrolment ON public.desk_ceremony USING btree (enrolment_hash);
CREATE INDEX desk_ceremony_expiry ON public.desk_ceremony USING btree (expires_at);

create table public.desk_decision (
  id uuid not null,
  queue text not null,
  subject uuid not null,
  round integer not null,
  seat text not null,
  operator_id uuid not null,
  verdict text not null,
  reason text not null,
  decided_at timestamp with time zone not null,
  constraint desk_decision_different_people UNIQUE (queue, subject, round, operator_id),
  constraint desk_decision_one_each UNIQUE (queue, subject, round, seat),
  constraint desk_decision_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.desk_operator(id),
  constraint desk_decision_pkey PRIMARY KEY (id),
  constraint desk_decision_queue_subject_fkey FOREIGN KEY (queue, subject) REFERENCES public.desk_item(queue, subject),
  constraint desk_decision_reason_check CHECK (((char_length(btrim(reason)) >= 10) AND (char_length(btrim(reason)) <= 500))),
  constraint desk_decision_seat_check CHECK ((seat = ANY (ARRAY['first'::text, 'second'::text, 'lead'::text]))),
  constraint desk_decision_verdict_check CHECK ((verdict ~ '^[a-z_]{1,40}$'::text))
);
CREATE INDEX desk_decision_operator ON public.desk_decision USING btree (operator_id);
CREATE TRIGGER dispute_objections_go_to_others BEFORE INSERT ON public.desk_decision FOR EACH ROW WHEN ((new.queue = 'disputes'::text)) EXECUTE FUNCTION public.refuse_involved_operator();
CREATE TRIGGER history_is_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON public.desk_decision FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change_of_desk();
CREATE TRIGGER nobody_decides_about_themselves BEFORE INSERT ON public.desk_decision FOR EACH ROW EXECUTE FUNCTION public.refuse_own_account();
CREATE TRIGGER objections_are_decided_by_others BEFORE INSERT ON public.desk_decision FOR EACH ROW WHEN ((new.queue = 'objections'::text)) EXECUTE FUNCTION public.require_uninvolved_operator();
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF queue, subject, round, seat, operator_id, verdict, reason, decided_at ON public.desk_decision FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'queue', 'subject', 'round', 'seat', 'operator_id', 'verdict', 'reason', 'decided_at');

create table public.desk_enrolment (
  hash bytea not null,
  operator_id uuid not null,
  replaces boolean not null,
  expires_at timestamp with time zone not null,
  constraint desk_enrolment_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.desk_operator(id),
  constraint desk_enrolment_pkey PRIMARY KEY (hash)
);
CREATE INDEX desk_enrolment_operator ON public.desk_enrolment USING btree (operator_id);

create table public.desk_item (
  queue text not null,
  subject uuid not null,
  round integer default 1 not null,
  claimed_by uuid,
  for_lead boolean default false not null,
  verdict text,
  carrying_out_since timestamp with time zone,
  carried_out_at timestamp with time zone,
  constraint desk_item_claimed_by_fkey FOREIGN KEY (claimed_by) REFERENCES public.desk_operator(id),
  constraint desk_item_order CHECK ((((verdict IS NOT NULL) OR (carrying_out_since IS NULL)) AND ((carrying_out_since IS NOT NULL) OR (carried_out_at IS NULL)))),
  constraint desk_item_pkey PRIMARY KEY (queue, subject),
  constraint desk_item_queue_fkey FOREIGN KEY (queue) REFERENCES public.desk_policy(queue),
  constraint desk_item_round_check CHECK ((round > 0)),
  constraint desk_item_verdict_check CHECK ((verdict ~ '^[a-z_]{1,40}$'::text))
);
CREATE INDEX desk_item_claimed_by ON public.desk_item USING btree (claimed_by);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF round, verdict ON public.desk_item FOR EACH ROW EXECUTE FUNCTION public.seal_row('queue,subject', 'round', 'verdict');

create table public.desk_log (
  number bigint not null,
  at timestamp with time zone not null,
  operator_id uuid,
  actor text not null,
  act text not null,
  queue text,
  subject text,
  reason text,
  before text,
  after text,
  decision_id uuid,
  hash bytea not null,
  constraint desk_log_act_check CHECK ((act ~ '^[a-z_]{1,40}$'::text)),
  constraint desk_log_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES public.desk_decision(id),
  constraint desk_log_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.desk_operator(id),
  constraint desk_log_pkey PRIMARY KEY (number)
);
CREATE INDEX desk_log_decision ON public.desk_log USING btree (decision_id);
CREATE INDEX desk_log_operator ON public.desk_log USING btree (operator_id, number);
CREATE INDEX desk_log_subject ON public.desk_log USING btree (queue, subject, number);
CREATE TRIGGER history_is_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON public.desk_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change_of_desk();
CREATE TRIGGER line_is_chained BEFORE INSERT ON public.desk_log FOR EACH ROW EXECUTE FUNCTION public.chain_desk_line();

create table public.desk_operator (
  id uuid not null,
  name text not null,
  roles text[] not null,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  constraint desk_operator_name_check CHECK (((name = btrim(name)) AND ((char_length(name) >= 1) AND (char_length(name) <= 60)))),
  constraint desk_operator_pkey PRIMARY KEY (id),
  constraint desk_operator_roles_check CHECK (((cardinality(roles) > 0) AND (roles <@ ARRAY['reviewer'::text, 'payments'::text, 'lead'::text, 'auditor'::text])))
);
CREATE UNIQUE INDEX desk_operator_name ON public.desk_operator USING btree (lower(name));

create table public.desk_own_account (
  operator_id uuid not null,
  user_id bigint not null,
  linked_at timestamp with time zone not null,
  unlinked_at timestamp with time zone,
  constraint desk_own_account_check CHECK ((unlinked_at >= linked_at)),
  constraint desk_own_account_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.desk_operator(id),
  constraint desk_own_account_pkey PRIMARY KEY (operator_id, user_id, linked_at),
  constraint desk_own_account_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE UNIQUE INDEX desk_own_account_once ON public.desk_own_account USING btree (operator_id, user_id) WHERE (unlinked_at IS NULL);
CREATE INDEX desk_own_account_user ON public.desk_own_account USING btree (user_id);
CREATE TRIGGER link_is_kept BEFORE DELETE OR UPDATE ON public.desk_own_account FOR EACH ROW EXECUTE FUNCTION public.keep_own_account();

create table public.desk_passkey (
  id uuid not null,
  operator_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint desk_passkey_counter_check CHECK ((counter >= 0)),
  constraint desk_passkey_credential_id_key UNIQUE (credential_id),
  constraint desk_passkey_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.desk_operator(id),
  constraint desk_passkey_pkey PRIMARY KEY (id)
);
CREATE INDEX desk_passkey_operator ON public.desk_passkey USING btree (operator_id);

create table public.desk_policy (
  queue text not null,
  two_people_above_usd_minor numeric(38,0),
  constraint desk_policy_pkey PRIMARY KEY (queue),
  constraint desk_policy_two_people_above_usd_minor_check CHECK ((two_people_above_usd_minor >= (0)::numeric))
);

create table public.desk_session (
  hash bytea not null,
  operator_id uuid not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone not null,
  constraint desk_session_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.desk_operator(id),
  constraint desk_session_pkey PRIMARY KEY (hash)
);
CREATE INDEX desk_session_operator ON public.desk_session USING btree (operator_id);

create table public.detached_instrument (
  id uuid not null,
  provider text not null,
  kind text not null,
  token text not null,
  last_polled_at timestamp with time zone not null,
  constraint detached_instrument_kind_check CHECK ((kind = ANY (ARRAY['bank_account'::text, 'saved_card'::text]))),
  constraint detached_instrument_pkey PRIMARY KEY (id)
);
CREATE INDEX detached_instrument_polled ON public.detached_instrument USING btree (last_polled_at);

create table public.dispute (
  id uuid not null,
  user_id bigint not null,
  transaction_id uuid not null,
  kind text not null,
  state text default 'open'::text not null,
  statement text not null,
  claimed_minor numeric(38,0) not null,
  currency text not null,
  facts jsonb not null,
  hash bytea not null,
  policy_country text not null,
  policy_version integer not null,
  opened_at timestamp with time zone not null,
  decide_by timestamp with time zone not null,
  credit_by timestamp with time zone,
  escalated_at timestamp with time zone,
  need text,
  need_by timestamp with time zone,
  outcome text,
  decided_at timestamp with time zone,
  claimed_fee_minor numeric(38,0) default 0 not null,
  is_new_account boolean default false not null,
  suspected_at timestamp with time zone,
  credit_usd_minor numeric(38,0),
  credit_waits_at timestamp with time zone,
  constraint dispute_claimed_fee CHECK (((claimed_fee_minor >= (0)::numeric) AND (claimed_fee_minor <= claimed_minor))),
  constraint dispute_claimed_minor_check CHECK ((claimed_minor > (0)::numeric)),
  constraint dispute_credit_usd_minor_check CHECK ((credit_usd_minor >= (0)::numeric)),
  constraint dispute_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint dispute_decided CHECK ((((state = 'open'::text) = (decided_at IS NULL)) AND ((state = 'open'::text) = (outcome IS NULL)))),
  constraint dispute_hash_check CHECK ((octet_length(hash) = 32)),
  constraint dispute_kind_check CHECK ((kind = ANY (ARRAY['unauthorized'::text, 'not_received'::text, 'wrong_amount'::text]))),
  constraint dispute_need CHECK (((need IS NULL) = (need_by IS NULL))),
  constraint dispute_need_check CHECK ((need = ANY (ARRAY['explanation'::text, 'document'::text]))),
  constraint dispute_outcome_check CHECK ((outcome = ANY (ARRAY['credited'::text, 'already_back'::text, 'arrived'::text, 'not_founded'::text, 'withdrawn'::text]))),
  constraint dispute_pkey PRIMARY KEY (id),
  constraint dispute_policy_country_kind_policy_version_fkey FOREIGN KEY (policy_country, kind, policy_version) REFERENCES public.dispute_policy(country, kind, version),
  constraint dispute_state_check CHECK ((state = ANY (ARRAY['open'::text, 'upheld'::text, 'dismissed'::text, 'withdrawn'::text]))),
  constraint dispute_statement_check CHECK ((char_length(statement) <= 2000)),
  constraint dispute_suspected CHECK (((suspected_at IS NULL) OR ((kind = 'unauthorized'::text) AND (credit_by IS NULL)))),
  constraint dispute_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint dispute_user_id_transaction_id_fkey FOREIGN KEY (user_id, transaction_id) REFERENCES public.transaction(user_id, id)
);
CREATE INDEX dispute_needed ON public.dispute USING btree (need_by) WHERE (need IS NOT NULL);
CREATE INDEX dispute_of_transaction ON public.dispute USING btree (transaction_id);
CREATE INDEX dispute_of_user ON public.dispute USING btree (user_id, opened_at DESC);
CREATE UNIQUE INDEX dispute_once ON public.dispute USING btree (user_id, transaction_id) WHERE (state <> 'withdrawn'::text);
CREATE INDEX dispute_open ON public.dispute USING btree (decide_by) WHERE (state = 'open'::text);
CREATE INDEX dispute_policy_used ON public.dispute USING btree (policy_country, kind, policy_version);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.dispute FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF user_id, transaction_id, kind, state, claimed_minor, claimed_fee_minor, currency, opened_at, decide_by, credit_by, need, need_by, outcome, decided_at, suspected_at ON public.dispute FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'user_id', 'transaction_id', 'kind', 'state', 'claimed_minor', 'claimed_fee_minor', 'currency', 'opened_at', 'decide_by', 'credit_by', 'need', 'need_by', 'outcome', 'decided_at', 'suspected_at');

create table public.dispute_credit_policy (
  version integer not null,
  person_usd_minor numeric(38,0) not null,
  total_usd_minor numeric(38,0) not null,
  constraint dispute_credit_policy_person_usd_minor_check CHECK ((person_usd_minor >= (0)::numeric)),
  constraint dispute_credit_policy_pkey PRIMARY KEY (version),
  constraint dispute_credit_policy_total_usd_minor_check CHECK ((total_usd_minor >= (0)::numeric)),
  constraint dispute_credit_policy_version_check CHECK ((version > 0))
);

create table public.dispute_event (
  id uuid not null,
  dispute_id uuid not null,
  code text not null,
  text text,
  at timestamp with time zone not null,
  constraint dispute_event_code_check CHECK ((code ~ '^[a-z_]{1,40}$'::text)),
  constraint dispute_event_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.dispute(id),
  constraint dispute_event_pkey PRIMARY KEY (id),
  constraint dispute_event_text_check CHECK ((char_length(text) <= 2000))
);
CREATE INDEX dispute_event_of_dispute ON public.dispute_event USING btree (dispute_id, at);

create table public.dispute_file (
  id uuid not null,
  dispute_id uuid not null,
  content_type text not null,
  size_bytes integer not null,
  sha256 bytea not null,
  content bytea,
  created_at timestamp with time zone not null,
  constraint dispute_file_content_type_check CHECK ((content_type = ANY (ARRAY['image/jpeg'::text, 'application/pdf'::text]))),
  constraint dispute_file_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.dispute(id),
  constraint dispute_file_pkey PRIMARY KEY (id),
  constraint dispute_file_sha256_check CHECK ((octet_length(sha256) = 32)),
  constraint dispute_file_size_bytes_check CHECK ((size_bytes > 0))
);
CREATE INDEX dispute_file_of_dispute ON public.dispute_file USING btree (dispute_id, created_at);

create table public.dispute_objection (
  id uuid not null,
  dispute_id uuid not null,
  text text not null,
  state text default 'open'::text not null,
  made_at timestamp with time zone not null,
  decide_by timestamp with time zone not null,
  escalated_at timestamp with time zone,
  decided_at timestamp with time zone,
  constraint dispute_objection_decided CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  constraint dispute_objection_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.dispute(id),
  constraint dispute_objection_dispute_id_key UNIQUE (dispute_id),
  constraint dispute_objection_pkey PRIMARY KEY (id),
  constraint dispute_objection_state_check CHECK ((state = ANY (ARRAY['open'::text, 'upheld'::text, 'dismissed'::text]))),
  constraint dispute_objection_text_check CHECK ((char_length(text) <= 2000))
);
CREATE INDEX dispute_objection_open ON public.dispute_objection USING btree (decide_by) WHERE (state = 'open'::text);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF dispute_id, state, made_at, decide_by, decided_at ON public.dispute_objection FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'dispute_id', 'state', 'made_at', 'decide_by', 'decided_at');

create table public.dispute_policy (
  country text not null,
  kind text not null,
  version integer not null,
  valid_from timestamp with time zone not null,
  open_within_months integer not null,
  decide_within_days integer not null,
  credit_within_days integer,
  extended_days integer not null,
  answer_within_days integer not null,
  object_within_days integer not null,
  objection_within_days integer not null,
  source text not null,
  new_account_days integer,
  new_account_within_days integer,
  new_account_extended_days integer,
  constraint dispute_policy_answer_within_days_check CHECK ((answer_within_days > 0)),
  constraint dispute_policy_country_check CHECK ((country ~ '^([A-Z]{2}|\*)$'::text)),
  constraint dispute_policy_credit_within_days_check CHECK ((credit_within_days > 0)),
  constraint dispute_policy_decide_within_days_check CHECK ((decide_within_days > 0)),
  constraint dispute_policy_extended_days_check CHECK ((extended_days > 0)),
  constraint dispute_policy_kind_check CHECK ((kind = ANY (ARRAY['unauthorized'::text, 'not_received'::text, 'wrong_amount'::text]))),
  constraint dispute_policy_new_account_days_check CHECK ((new_account_days > 0)),
  constraint dispute_policy_new_account_extended_days_check CHECK ((new_account_extended_days > 0)),
  constraint dispute_policy_new_account_within_days_check CHECK ((new_account_within_days > 0)),
  constraint dispute_policy_new_accounts CHECK ((num_nulls(new_account_days, new_account_within_days, new_account_extended_days) = ANY (ARRAY[0, 3]))),
  constraint dispute_policy_object_within_days_check CHECK ((object_within_days > 0)),
  constraint dispute_policy_objection_within_days_check CHECK ((objection_within_days > 0)),
  constraint dispute_policy_open_within_months_check CHECK ((open_within_months > 0)),
  constraint dispute_policy_pkey PRIMARY KEY (country, kind, version),
  constraint dispute_policy_source_check CHECK ((source ~ '^[a-z0-9_]{1,40}$'::text)),
  constraint dispute_policy_version_check CHECK ((version > 0))
);

create table public.dispute_posting (
  posting_id uuid not null,
  dispute_id uuid not null,
  kind text not null,
  transaction_id uuid,
  amount_minor numeric(38,0) not null,
  currency text not null,
  at timestamp with time zone not null,
  fee_minor numeric(38,0) default 0 not null,
  constraint dispute_posting_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint dispute_posting_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint dispute_posting_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.dispute(id),
  constraint dispute_posting_fee CHECK (((fee_minor >= (0)::numeric) AND (fee_minor <= amount_minor))),
  constraint dispute_posting_kind_check CHECK ((kind = ANY (ARRAY['provisional'::text, 'final'::text, 'taken_back'::text, 'recovered'::text, 'repaid'::text]))),
  constraint dispute_posting_once UNIQUE (dispute_id, kind),
  constraint dispute_posting_pkey PRIMARY KEY (posting_id, dispute_id),
  constraint dispute_posting_seen CHECK (((kind = 'recovered'::text) = (transaction_id IS NULL)))
);
CREATE INDEX dispute_posting_of_transaction ON public.dispute_posting USING btree (transaction_id);
CREATE TRIGGER disputed_transaction_is_locked BEFORE INSERT ON public.dispute_posting FOR EACH ROW EXECUTE FUNCTION public.lock_disputed_transaction();
CREATE CONSTRAINT TRIGGER given_back_once AFTER INSERT ON public.dispute_posting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.require_given_once();
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF kind, transaction_id, amount_minor, fee_minor, currency, at ON public.dispute_posting FOR EACH ROW EXECUTE FUNCTION public.seal_row('posting_id,dispute_id', 'kind', 'transaction_id', 'amount_minor', 'fee_minor', 'currency', 'at');

create table public.dispute_review (
  id uuid not null,
  dispute_id uuid not null,
  cause text not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint dispute_review_cause_check CHECK ((cause = ANY (ARRAY['opened'::text, 'answered'::text, 'not_answered'::text, 'objected'::text, 'suspected'::text, 'credit_waits'::text, 'credited'::text]))),
  constraint dispute_review_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.dispute(id),
  constraint dispute_review_pkey PRIMARY KEY (id)
);
CREATE INDEX dispute_review_of_dispute ON public.dispute_review USING btree (dispute_id);
CREATE UNIQUE INDEX dispute_review_open ON public.dispute_review USING btree (dispute_id) WHERE (closed_at IS NULL);

create table public.exchange_order (
  id uuid not null,
  user_id bigint not null,
  wallet_id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  state text not null,
  source_currency text not null,
  target_currency text not null,
  source_minor numeric(38,0) not null,
  fee_minor numeric(38,0) not null,
  fee_basis_points integer not null,
  rate_currency text not null,
  rate text not null,
  worst_rate text not null,
  minimum_minor numeric(38,0) not null,
  trigger_numerator numeric(90,0) not null,
  trigger_denominator numeric(90,0) not null,
  version integer default 1 not null,
  expires_at timestamp with time zone not null,
  waiting_reason text,
  waiting_since timestamp with time zone,
  try_at timestamp with time zone,
  quote_id uuid,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  edited_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint exchange_order_ended CHECK (((state = ANY (ARRAY['open'::text, 'in_review'::text])) = (ended_at IS NULL))),
  constraint exchange_order_fee_basis_points_check CHECK ((fee_basis_points >= 0)),
  constraint exchange_order_fee_minor_check CHECK ((fee_minor >= (0)::numeric)),
  constraint exchange_order_kind_check CHECK ((kind = ANY (ARRAY['limit'::text, 'stop'::text]))),
  constraint exchange_order_minimum_minor_check CHECK ((minimum_minor > (0)::numeric)),
  constraint exchange_order_pkey PRIMARY KEY (id),
  constraint exchange_order_priced CHECK (
CASE state
    WHEN 'open'::text THEN (quote_id IS NULL)
    WHEN 'in_review'::text THEN (quote_id IS NOT NULL)
    WHEN 'filled'::text THEN (quote_id IS NOT NULL)
    ELSE true
END),
  constraint exchange_order_quote_id_key UNIQUE (quote_id),
  constraint exchange_order_rate_check CHECK ((rate ~ '^\d{1,15}(\.\d{1,15})?$'::text)),
  constraint exchange_order_rate_currency CHECK (((rate_currency = source_currency) OR (rate_currency = target_currency))),
  constraint exchange_order_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES ledger.currency(code),
  constraint exchange_order_source_minor_check CHECK ((source_minor > (0)::numeric)),
  constraint exchange_order_state_check CHECK ((state = ANY (ARRAY['open'::text, 'in_review'::text, 'filled'::text, 'cancelled'::text, 'rejected'::text, 'expired'::text]))),
  constraint exchange_order_target_currency_fkey FOREIGN KEY (target_currency) REFERENCES ledger.currency(code),
  constraint exchange_order_transaction_id_key UNIQUE (transaction_id),
  constraint exchange_order_trigger_denominator_check CHECK ((trigger_denominator > (0)::numeric)),
  constraint exchange_order_trigger_numerator_check CHECK ((trigger_numerator > (0)::numeric)),
  constraint exchange_order_two_currencies CHECK ((source_currency <> target_currency)),
  constraint exchange_order_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint exchange_order_version_check CHECK ((version > 0)),
  constraint exchange_order_waiting CHECK (((waiting_reason IS NULL) = (waiting_since IS NULL))),
  constraint exchange_order_waiting_reason_check CHECK ((waiting_reason ~ '^[a-z][a-z_]{1,60}$'::text)),
  constraint exchange_order_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallet(id),
  constraint exchange_order_worst_rate_check CHECK ((worst_rate ~ '^\d{1,15}(\.\d{1,15})?$'::text))
);
CREATE INDEX exchange_order_due ON public.exchange_order USING btree (expires_at) WHERE (state = 'open'::text);
CREATE INDEX exchange_order_ended_at ON public.exchange_order USING btree (user_id, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX exchange_order_old ON public.exchange_order USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND (state <> 'filled'::text));
CREATE INDEX exchange_order_open ON public.exchange_order USING btree (user_id, expires_at) WHERE (ended_at IS NULL);
CREATE INDEX exchange_order_triggered ON public.exchange_order USING btree (source_currency, target_currency, kind, div((trigger_numerator * '1000000000000000000000000000000'::numeric), trigger_denominator)) WHERE (state = 'open'::text);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.exchange_order FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF user_id, wallet_id, transaction_id, kind, state, source_currency, target_currency, source_minor, fee_minor, fee_basis_points, rate_currency, rate, worst_rate, minimum_minor, trigger_numerator, trigger_denominator, expires_at, quote_id, created_at, ended_at ON public.exchange_order FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'user_id', 'wallet_id', 'transaction_id', 'kind', 'state', 'source_currency', 'target_currency', 'source_minor', 'fee_minor', 'fee_basis_points', 'rate_currency', 'rate', 'worst_rate', 'minimum_minor', 'trigger_numerator', 'trigger_denominator', 'expires_at', 'quote_id', 'created_at', 'ended_at');

create table public.exchange_order_edit (
  id uuid not null,
  order_id uuid not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  constraint exchange_order_edit_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.exchange_order(id) ON DELETE CASCADE,
  constraint exchange_order_edit_pkey PRIMARY KEY (id)
);
CREATE INDEX exchange_order_edit_old ON public.exchange_order_edit USING btree (created_at);
CREATE INDEX exchange_order_edit_order ON public.exchange_order_edit USING btree (order_id);

create table public.external_identity (
  issuer text not null,
  subject text not null,
  user_id bigint not null,
  provider text not null,
  email text,
  linked_at timestamp with time zone not null,
  constraint external_identity_pkey PRIMARY KEY (issuer, subject),
  constraint external_identity_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'external'::text]))),
  constraint external_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX external_identity_of_user ON public.external_identity USING btree (user_id);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.external_identity FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.external_link (
  hash bytea not null,
  issuer text not null,
  subject text not null,
  provider text not null,
  email text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint external_link_pkey PRIMARY KEY (hash),
  constraint external_link_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'external'::text])))
);
CREATE INDEX external_link_expires_at ON public.external_link USING btree (expires_at);

create table public.external_sign_in (
  hash bytea not null,
  provider text not null,
  browser bytea not null,
  nonce text not null,
  verifier bytea not null,
  mode text not null,
  return_to text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint external_sign_in_mode_check CHECK ((mode = ANY (ARRAY['popup'::text, 'redirect'::text]))),
  constraint external_sign_in_pkey PRIMARY KEY (hash),
  constraint external_sign_in_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'external'::text])))
);
CREATE INDEX external_sign_in_expires_at ON public.external_sign_in USING btree (expires_at);

create table public.favorite (
  user_id bigint not null,
  favorite_id bigint not null,
  created_at timestamp with time zone not null,
  constraint favorite_favorite_id_fkey FOREIGN KEY (favorite_id) REFERENCES public.app_user(id),
  constraint favorite_of_another CHECK ((user_id <> favorite_id)),
  constraint favorite_pkey PRIMARY KEY (user_id, favorite_id),
  constraint favorite_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.favorite FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id', 'favorite_id');

create table public.fee_index_month (
  month date not null,
  source_currency text not null,
  target_currency text not null,
  payments bigint not null,
  payers bigint not null,
  cost_sum numeric(38,0) not null,
  median_cost bigint not null,
  low_cost bigint not null,
  high_cost bigint not null,
  fee_sum numeric(38,0) not null,
  counted_at timestamp with time zone not null,
  constraint fee_index_month_check CHECK (((payers >= 1) AND (payers <= payments))),
  constraint fee_index_month_check1 CHECK (((low_cost <= median_cost) AND (median_cost <= high_cost))),
  constraint fee_index_month_fee_sum_check CHECK ((fee_sum >= (0)::numeric)),
  constraint fee_index_month_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint fee_index_month_payments_check CHECK ((payments > 0)),
  constraint fee_index_month_pkey PRIMARY KEY (month, source_currency, target_currency),
  constraint fee_index_month_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES ledger.currency(code),
  constraint fee_index_month_target_currency_fkey FOREIGN KEY (target_currency) REFERENCES ledger.currency(code),
  constraint fee_index_two_currencies CHECK ((source_currency <> target_currency))
);

create table public.fee_policy (
  only_one boolean default true not null,
  free_movements_per_day integer not null,
  smallest_fee_minor integer not null,
  constraint fee_policy_free_movements_per_day_check CHECK ((free_movements_per_day >= 0)),
  constraint fee_policy_only_one_check CHECK (only_one),
  constraint fee_policy_pkey PRIMARY KEY (only_one),
  constraint fee_policy_smallest_fee_minor_check CHECK ((smallest_fee_minor >= 0))
);

create table public.guest_payment (
  payment_id uuid not null,
  request_id uuid not null,
  amount_minor numeric(38,0) not null,
  email text not null,
  usd_minor numeric(38,0) not null,
  card_fingerprint text,
  refusal text,
  created_at timestamp with time zone not null,
  constraint guest_payment_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint guest_payment_email_check CHECK (((length(email) <= 254) AND (email = lower(email)))),
  constraint guest_payment_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payment(id),
  constraint guest_payment_pkey PRIMARY KEY (payment_id),
  constraint guest_payment_refusal_check CHECK ((refusal = ANY (ARRAY['request_closed'::text, 'limit_exceeded'::text, 'price_moved'::text, 'not_accepted'::text]))),
  constraint guest_payment_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_request(id),
  constraint guest_payment_usd_minor_check CHECK ((usd_minor > (0)::numeric))
);
CREATE INDEX guest_payment_of_card ON public.guest_payment USING btree (card_fingerprint, created_at) WHERE (card_fingerprint IS NOT NULL);
CREATE INDEX guest_payment_of_email ON public.guest_payment USING btree (email, created_at);
CREATE INDEX guest_payment_of_request ON public.guest_payment USING btree (request_id);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF request_id, amount_minor, usd_minor, refusal, created_at ON public.guest_payment FOR EACH ROW EXECUTE FUNCTION public.seal_row('payment_id', 'request_id', 'amount_minor', 'usd_minor', 'refusal', 'created_at');

create table public.kyc_document (
  id uuid not null,
  user_id bigint not null,
  document_type text not null,
  side text,
  content_type text not null,
  size_bytes integer not null,
  content bytea,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint kyc_document_check CHECK (((content IS NULL) = (deleted_at IS NOT NULL))),
  constraint kyc_document_content_type_check CHECK ((content_type = ANY (ARRAY['image/jpeg'::text, 'application/pdf'::text]))),
  constraint kyc_document_pkey PRIMARY KEY (id),
  constraint kyc_document_side_check CHECK ((side = ANY (ARRAY['front'::text, 'back'::text, 'selfie'::text]))),
  constraint kyc_document_size_bytes_check CHECK ((size_bytes > 0)),
  constraint kyc_document_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX kyc_document_by_user ON public.kyc_document USING btree (user_id, created_at DESC);
CREATE INDEX kyc_document_deleted ON public.kyc_document USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

create table public.kyc_event (
  provider text not null,
  id text not null,
  received_at timestamp with time zone not null,
  constraint kyc_event_pkey PRIMARY KEY (provider, id)
);
CREATE INDEX kyc_event_received ON public.kyc_event USING btree (received_at);

create table public.kyc_number (
  submission_id uuid not null,
  kind text not null,
  fingerprint bytea not null,
  last_characters text not null,
  released_at timestamp with time zone,
  constraint kyc_number_kind_check CHECK ((kind = ANY (ARRAY['idNumber'::text, 'documentNumber'::text, 'panCard'::text, 'medicareNumber'::text]))),
  constraint kyc_number_last_characters_check CHECK ((length(last_characters) <= 4)),
  constraint kyc_number_pkey PRIMARY KEY (submission_id, kind),
  constraint kyc_number_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.kyc_submission(id)
);
CREATE INDEX kyc_number_fingerprint ON public.kyc_number USING btree (fingerprint);

create table public.kyc_redaction (
  provider text not null,
  check_id text not null,
  requested_at timestamp with time zone not null,
  constraint kyc_redaction_pkey PRIMARY KEY (provider, check_id)
);

create table public.kyc_submission (
  id uuid not null,
  user_id bigint not null,
  status text not null,
  first_name text not null,
  last_name text not null,
  date_of_birth date not null,
  country text not null,
  nationality text not null,
  email text not null,
  document_type text not null,
  issuing_country text,
  currency_preference text not null,
  street_address text not null,
  city text not null,
  state text not null,
  postal_code text not null,
  numbers bytea not null,
  provider_check_id text,
  reasons jsonb default '[]'::jsonb not null,
  submitted_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  last_polled_at timestamp with time zone not null,
  provider text not null,
  is_hosted boolean default false not null,
  decided_by text,
  local_name bytea,
  constraint kyc_submission_decided_by_check CHECK ((decided_by = ANY (ARRAY['provider'::text, 'operator'::text]))),
  constraint kyc_submission_pkey PRIMARY KEY (id),
  constraint kyc_submission_reasons_are_codes CHECK ((NOT jsonb_path_exists(reasons, '$[*]?(exists (@."message") || !(@."code" like_regex "^[a-z_]+$"))'::jsonpath))),
  constraint kyc_submission_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_review'::text, 'needs_information'::text, 'verified'::text, 'rejected'::text, 'superseded'::text]))),
  constraint kyc_submission_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX kyc_submission_by_user ON public.kyc_submission USING btree (user_id, submitted_at DESC);
CREATE INDEX kyc_submission_running ON public.kyc_submission USING btree (last_polled_at) WHERE (status = ANY (ARRAY['pending'::text, 'in_review'::text]));
CREATE UNIQUE INDEX kyc_submission_running_by_user ON public.kyc_submission USING btree (user_id) WHERE (status = ANY (ARRAY['pending'::text, 'in_review'::text]));
CREATE TRIGGER people_are_there BEFORE INSERT ON public.kyc_submission FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');
CREATE TRIGGER screen_new_form AFTER INSERT OR UPDATE OF first_name, last_name, date_of_birth, country, nationality ON public.kyc_submission FOR EACH ROW EXECUTE FUNCTION public.screen_again();

create table public.late_price_policy (
  only_one boolean default true not null,
  max_adverse_parts_per_million integer not null,
  constraint late_price_policy_max_adverse_parts_per_million_check CHECK (((max_adverse_parts_per_million >= 0) AND (max_adverse_parts_per_million <= 1000000))),
  constraint late_price_policy_only_one_check CHECK (only_one),
  constraint late_price_policy_pkey PRIMARY KEY (only_one)
);

create table public.limit_policy (
  verification_state text not null,
  country text,
  direction text not null,
  method text,
  period text not null,
  max_usd_minor numeric(38,0),
  max_movements integer,
  constraint limit_policy_direction_check CHECK ((direction = ANY (ARRAY['out'::text, 'in'::text]))),
  constraint limit_policy_key UNIQUE NULLS NOT DISTINCT (verification_state, country, direction, method, period),
  constraint limit_policy_max_movements_check CHECK ((max_movements >= 0)),
  constraint limit_policy_max_usd_minor_check CHECK ((max_usd_minor >= (0)::numeric)),
  constraint limit_policy_method CHECK (((method IS NULL) OR ((direction = 'out'::text) AND (method = ANY (ARRAY['transfer'::text, 'exchange'::text, 'payout'::text]))) OR ((direction = 'in'::text) AND (method = ANY (ARRAY['card'::text, 'bank'::text]))))),
  constraint limit_policy_of_payment_has_no_count CHECK (((period <> 'payment'::text) OR (max_movements IS NULL))),
  constraint limit_policy_period_check CHECK ((period = ANY (ARRAY['payment'::text, 'day'::text, '30_days'::text]))),
  constraint limit_policy_says_something CHECK (((max_usd_minor IS NOT NULL) OR (max_movements IS NOT NULL))),
  constraint limit_policy_verification_state_check CHECK ((verification_state = ANY (ARRAY['not_started'::text, 'pending'::text, 'in_review'::text, 'needs_information'::text, 'verified'::text, 'rejected'::text])))
);
CREATE TRIGGER note_limit_policy AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.limit_policy FOR EACH STATEMENT EXECUTE FUNCTION public.note_limit_policy();

create table public.limit_policy_version (
  only_one boolean default true not null,
  version bigint not null,
  constraint limit_policy_version_only_one_check CHECK (only_one),
  constraint limit_policy_version_pkey PRIMARY KEY (only_one)
);

create table public.limit_usage (
  user_id bigint not null,
  day date not null,
  usd_minor numeric(38,0) not null,
  movements integer default 0 not null,
  free_usd_minor numeric(38,0),
  free_movements integer,
  free_payment_usd_minor numeric(38,0),
  free_version bigint,
  constraint limit_usage_movements_check CHECK ((movements >= 0)),
  constraint limit_usage_pkey PRIMARY KEY (user_id, day),
  constraint limit_usage_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
) with (fillfactor=50);
CREATE INDEX limit_usage_by_day ON public.limit_usage USING brin (day) WITH (pages_per_range='16', autosummarize='on');

create table public.limit_usage_by_method (
  user_id bigint not null,
  day date not null,
  method text not null,
  usd_minor numeric(38,0) not null,
  movements integer not null,
  constraint limit_usage_by_method_method_check CHECK ((method = ANY (ARRAY['exchange'::text, 'payout'::text, 'card'::text, 'bank'::text]))),
  constraint limit_usage_by_method_movements_check CHECK ((movements >= 0)),
  constraint limit_usage_by_method_pkey PRIMARY KEY (user_id, day, method),
  constraint limit_usage_by_method_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
);
CREATE INDEX limit_usage_by_method_day ON public.limit_usage_by_method USING brin (day) WITH (pages_per_range='16', autosummarize='on');

create table public.liquidity_change (
  currency text not null,
  incoming numeric(38,0) not null,
  outgoing numeric(38,0) not null,
  usd_minor numeric(38,0) not null
);

create table public.liquidity_default (
  name text not null,
  usd_minor numeric(38,0) not null,
  constraint liquidity_default_name_check CHECK ((name = ANY (ARRAY['long'::text, 'short'::text, 'flatten_above'::text, 'locked_by_person'::text, 'locked_in_all'::text]))),
  constraint liquidity_default_pkey PRIMARY KEY (name),
  constraint liquidity_default_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
);

create table public.liquidity_limit (
  currency text not null,
  long_minor numeric(38,0),
  short_minor numeric(38,0),
  flatten_above_minor numeric(38,0),
  changed_by text not null,
  changed_at timestamp with time zone not null,
  constraint liquidity_limit_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint liquidity_limit_flatten_above_minor_check CHECK ((flatten_above_minor >= (0)::numeric)),
  constraint liquidity_limit_long_minor_check CHECK ((long_minor >= (0)::numeric)),
  constraint liquidity_limit_pkey PRIMARY KEY (currency),
  constraint liquidity_limit_short_minor_check CHECK ((short_minor >= (0)::numeric))
);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF long_minor, short_minor, flatten_above_minor, changed_by, changed_at ON public.liquidity_limit FOR EACH ROW EXECUTE FUNCTION public.seal_row('currency', 'long_minor', 'short_minor', 'flatten_above_minor', 'changed_by', 'changed_at');

create table public.liquidity_reservation (
  id uuid not null,
  currency text not null,
  minor numeric(38,0) not null,
  usd_minor numeric(38,0) not null,
  user_id bigint,
  until timestamp with time zone not null,
  constraint liquidity_reservation_minor_check CHECK ((minor <> (0)::numeric)),
  constraint liquidity_reservation_pkey PRIMARY KEY (id, currency),
  constraint liquidity_reservation_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
);
CREATE INDEX liquidity_reservation_currency ON public.liquidity_reservation USING btree (currency);
CREATE INDEX liquidity_reservation_user ON public.liquidity_reservation USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE TRIGGER count_liquidity_less AFTER DELETE ON public.liquidity_reservation REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_liquidity();
CREATE TRIGGER count_liquidity_more AFTER INSERT ON public.liquidity_reservation REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_liquidity();

create table public.liquidity_total (
  currency text not null,
  incoming numeric(38,0) not null,
  outgoing numeric(38,0) not null,
  usd_minor numeric(38,0) not null,
  constraint liquidity_total_incoming_check CHECK ((incoming >= (0)::numeric)),
  constraint liquidity_total_outgoing_check CHECK ((outgoing >= (0)::numeric)),
  constraint liquidity_total_pkey PRIMARY KEY (currency),
  constraint liquidity_total_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
);

create table public.login_attempt (
  account bytea not null,
  failures integer not null,
  last_failed_at timestamp with time zone not null,
  blocked_until timestamp with time zone,
  check_id uuid,
  check_until timestamp with time zone,
  constraint login_attempt_pkey PRIMARY KEY (account)
);
CREATE INDEX login_attempt_last_failed_at ON public.login_attempt USING btree (last_failed_at);

create table public.mail (
  id uuid not null,
  user_id bigint,
  template text not null,
  content bytea,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  given_up_reason text,
  constraint mail_check CHECK (((content IS NULL) = ((sent_at IS NOT NULL) OR (given_up_at IS NOT NULL)))),
  constraint mail_given_up_reason_is_code CHECK ((given_up_reason ~ '^[a-z_]+$'::text)),
  constraint mail_pkey PRIMARY KEY (id),
  constraint mail_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX mail_created_at ON public.mail USING btree (created_at);
CREATE INDEX mail_of_user ON public.mail USING btree (user_id, template, created_at) WHERE (user_id IS NOT NULL);
CREATE INDEX mail_waiting ON public.mail USING btree (created_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));

create table public.mail_choice (
  user_id bigint not null,
  payments boolean not null,
  requests boolean not null,
  constraint mail_choice_pkey PRIMARY KEY (user_id),
  constraint mail_choice_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);

create table public.mail_request (
  target bytea not null,
  granted_at timestamp with time zone[] not null,
  last_granted_at timestamp with time zone not null,
  constraint mail_request_pkey PRIMARY KEY (target)
);
CREATE INDEX mail_request_last_granted_at ON public.mail_request USING btree (last_granted_at);

create table public.mailed_link (
  hash bytea not null,
  purpose text not null,
  user_id bigint not null,
  email text not null,
  browser bytea,
  session_id uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  keeps_email boolean default false not null,
  constraint mailed_link_pkey PRIMARY KEY (hash),
  constraint mailed_link_purpose_check CHECK ((purpose = ANY (ARRAY['log_in'::text, 'verify_email'::text, 'change_email'::text, 'reset_password'::text, 'unrecognized_sign_in'::text, 'freeze_account'::text]))),
  constraint mailed_link_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.session(id),
  constraint mailed_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX mailed_link_expires_at ON public.mailed_link USING btree (expires_at);
CREATE INDEX mailed_link_keeps_email ON public.mailed_link USING btree (lower(email)) WHERE (keeps_email AND (used_at IS NULL));
CREATE INDEX mailed_link_of_user ON public.mailed_link USING btree (user_id, purpose, created_at);
CREATE INDEX mailed_link_session ON public.mailed_link USING btree (session_id) WHERE (session_id IS NOT NULL);

create table public.maturity_policy (
  method text not null,
  country text,
  account_younger_than_days integer,
  hours integer not null,
  bank_younger_than_days integer,
  constraint maturity_policy_account_younger_than_days_check CHECK ((account_younger_than_days > 0)),
  constraint maturity_policy_bank_age CHECK (((bank_younger_than_days IS NULL) OR (method = 'bank'::text))),
  constraint maturity_policy_bank_younger_than_days_check CHECK ((bank_younger_than_days > 0)),
  constraint maturity_policy_hours_check CHECK ((hours >= 0)),
  constraint maturity_policy_method_check CHECK ((method = ANY (ARRAY['card'::text, 'bank'::text]))),
  constraint maturity_policy_once UNIQUE NULLS NOT DISTINCT (method, country, account_younger_than_days, bank_younger_than_days)
);

create table public.monitoring_policy (
  version integer not null,
  structuring_hours integer not null,
  structuring_count integer not null,
  structuring_percent integer not null,
  rapid_hours integer not null,
  rapid_usd_minor numeric(38,0) not null,
  rapid_percent integer not null,
  fan_in_hours integer not null,
  fan_in_senders integer not null,
  mule_account_days integer not null,
  mule_hours integer not null,
  mule_senders integer not null,
  mule_percent integer not null,
  mule_payees integer not null,
  known_days integer not null,
  constraint monitoring_policy_fan_in_hours_check CHECK ((fan_in_hours > 0)),
  constraint monitoring_policy_fan_in_senders_check CHECK ((fan_in_senders > 1)),
  constraint monitoring_policy_known_days_check CHECK ((known_days > 0)),
  constraint monitoring_policy_mule_account_days_check CHECK ((mule_account_days > 0)),
  constraint monitoring_policy_mule_hours_check CHECK ((mule_hours > 0)),
  constraint monitoring_policy_mule_payees_check CHECK ((mule_payees > 1)),
  constraint monitoring_policy_mule_percent_check CHECK (((mule_percent >= 1) AND (mule_percent <= 100))),
  constraint monitoring_policy_mule_senders_check CHECK ((mule_senders > 1)),
  constraint monitoring_policy_pkey PRIMARY KEY (version),
  constraint monitoring_policy_rapid_hours_check CHECK ((rapid_hours > 0)),
  constraint monitoring_policy_rapid_percent_check CHECK (((rapid_percent >= 1) AND (rapid_percent <= 100))),
  constraint monitoring_policy_rapid_usd_minor_check CHECK ((rapid_usd_minor > (0)::numeric)),
  constraint monitoring_policy_structuring_count_check CHECK ((structuring_count > 1)),
  constraint monitoring_policy_structuring_hours_check CHECK ((structuring_hours > 0)),
  constraint monitoring_policy_structuring_percent_check CHECK (((structuring_percent >= 1) AND (structuring_percent <= 99))),
  constraint monitoring_policy_version_check CHECK ((version > 0))
);
CREATE TRIGGER note_limit_policy AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.monitoring_policy FOR EACH STATEMENT EXECUTE FUNCTION public.note_limit_policy();

create table public.monitoring_position (
  only_row boolean default true not null,
  "position" xid8 not null,
  cluster bigint not null,
  at timestamp with time zone not null,
  constraint monitoring_position_only_row_check CHECK (only_row),
  constraint monitoring_position_pkey PRIMARY KEY (only_row)
);

create table public.notification (
  id uuid not null,
  user_id bigint not null,
  code text not null,
  params jsonb not null,
  subject_id uuid,
  dedupe text not null,
  needs_action boolean default false not null,
  created_at timestamp with time zone not null,
  read_at timestamp with time zone,
  mail_due_at timestamp with time zone,
  answered_at timestamp with time zone,
  group_key uuid generated always as (
CASE
    WHEN ((code = ANY (ARRAY['new_sign_in'::text, 'security_change'::text])) AND (read_at IS NOT NULL) AND (NOT (needs_action AND (answered_at IS NULL)))) THEN (md5(('security '::text || (EXTRACT(epoch FROM date_trunc('month'::text, (created_at AT TIME ZONE 'UTC'::text))))::text)))::uuid
    WHEN (code = ANY (ARRAY['new_sign_in'::text, 'security_change'::text])) THEN (md5(((((((((((((needs_action AND (answered_at IS NULL)))::text || ' '::text) || code) || ' '::text) || COALESCE(((params -> 'change'::text))::text, ''::text)) || ' '::text) || COALESCE(((params -> 'browser'::text))::text, ''::text)) || ' '::text) || COALESCE(((params -> 'system'::text))::text, ''::text)) || ' '::text) || COALESCE(((params -> 'country'::text))::text, ((params -> 'network'::text))::text, ''::text))))::uuid
    WHEN (code = ANY (ARRAY['money_received'::text, 'request_received'::text, 'request_reminder'::text, 'request_paid'::text, 'request_part_paid'::text, 'schedule_sent'::text])) THEN (md5(((((((((((needs_action AND (answered_at IS NULL)))::text || ' '::text) || code) || ' '::text) || COALESCE(((params -> 'person'::text))::text, ''::text)) || ' '::text) || COALESCE(((params -> 'currency'::text))::text, ''::text)) || ' '::text) || ((((created_at AT TIME ZONE 'UTC'::text))::date - '2000-01-01'::date))::text)))::uuid
    WHEN (code = ANY (ARRAY['deposit_arrived'::text, 'order_filled'::text, 'protection_acted'::text, 'rate_alert'::text])) THEN (md5(((((((((needs_action AND (answered_at IS NULL)))::text || ' '::text) || code) || ' '::text) || COALESCE(((params -> 'currency'::text))::text, ''::text)) || ' '::text) || ((((created_at AT TIME ZONE 'UTC'::text))::date - '2000-01-01'::date))::text)))::uuid
    ELSE id
END) stored not null,
  constraint notification_code_check CHECK ((code ~ '^[a-z][a-z_]{1,60}$'::text)),
  constraint notification_dedupe_check CHECK ((length(dedupe) <= 200)),
  constraint notification_params_check CHECK ((jsonb_typeof(params) = 'object'::text)),
  constraint notification_pkey PRIMARY KEY (id),
  constraint notification_user_id_code_dedupe_key UNIQUE (user_id, code, dedupe),
  constraint notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX notification_created ON public.notification USING btree (created_at);
CREATE INDEX notification_group ON public.notification USING btree (user_id, group_key, id);
CREATE INDEX notification_list ON public.notification USING btree (user_id, id);
CREATE INDEX notification_mail_due ON public.notification USING btree (user_id, mail_due_at) WHERE (mail_due_at IS NOT NULL);
CREATE INDEX notification_open ON public.notification USING btree (user_id, id) WHERE (needs_action AND (answered_at IS NULL));
CREATE INDEX notification_unread ON public.notification USING btree (user_id, id) WHERE (read_at IS NULL);
CREATE INDEX notification_unread_group ON public.notification USING btree (user_id, group_key) WHERE (read_at IS NULL);

create table public.own_limit (
  user_id bigint not null,
  direction text not null,
  period text not null,
  max_usd_minor numeric(38,0),
  next_max_usd_minor numeric(38,0),
  next_at timestamp with time zone,
  constraint own_limit_direction_check CHECK ((direction = ANY (ARRAY['out'::text, 'in'::text]))),
  constraint own_limit_max_usd_minor_check CHECK ((max_usd_minor >= (0)::numeric)),
  constraint own_limit_next_has_a_time CHECK (((next_at IS NOT NULL) OR (next_max_usd_minor IS NULL))),
  constraint own_limit_next_max_usd_minor_check CHECK ((next_max_usd_minor >= (0)::numeric)),
  constraint own_limit_period_check CHECK ((period = ANY (ARRAY['day'::text, '30_days'::text]))),
  constraint own_limit_pkey PRIMARY KEY (user_id, direction, period),
  constraint own_limit_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE TRIGGER forget_free_room AFTER INSERT OR UPDATE ON public.own_limit FOR EACH ROW EXECUTE FUNCTION public.forget_free_room();
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF max_usd_minor, next_max_usd_minor, next_at ON public.own_limit FOR EACH ROW EXECUTE FUNCTION public.seal_row('user_id,direction,period', 'max_usd_minor', 'next_max_usd_minor', 'next_at');

create table public.passkey (
  id uuid not null,
  user_id bigint not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  synced boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  session_id uuid,
  constraint passkey_credential_id_key UNIQUE (credential_id),
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.session(id),
  constraint passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX passkey_of_user ON public.passkey USING btree (user_id);
CREATE INDEX passkey_session ON public.passkey USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.passkey FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.passkey_ceremony (
  id uuid not null,
  purpose text not null,
  challenge text not null,
  user_id bigint,
  subject text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint passkey_ceremony_pkey PRIMARY KEY (id),
  constraint passkey_ceremony_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'second_factor'::text, 'register'::text, 'step_up'::text]))),
  constraint passkey_ceremony_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX passkey_ceremony_expires_at ON public.passkey_ceremony USING btree (expires_at);

create table public.payment (
  id uuid not null,
  user_id bigint not null,
  purpose text not null,
  status text not null,
  amount_minor numeric(38,0) not null,
  currency text not null,
  provider text not null,
  session_id text,
  redirect_url text,
  capture_id text,
  idempotency_key uuid not null,
  request_hash bytea not null,
  transaction_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_polled_at timestamp with time zone not null,
  method text not null,
  recipient_id bigint,
  wallet_part_minor numeric(38,0) default 0 not null,
  locked_price jsonb,
  quote_id uuid,
  description text default ''::text not null,
  bank_account_id uuid,
  saved_card_id uuid,
  save_card boolean default false not null,
  reason text,
  submitted_token text,
  cancel_requested_at timestamp with time zone,
  holds_transfer boolean default false not null,
  counted_on date,
  pulled_usd_minor numeric(38,0),
  sent_usd_minor numeric(38,0),
  is_listed boolean default false not null,
  is_announced boolean default false not null,
  payer_name text,
  price_held_until timestamp with time zone,
  minimum_target_minor numeric(38,0),
  constraint payment_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint payment_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES public.bank_account(id),
  constraint payment_counts_on_a_day CHECK (((counted_on IS NOT NULL) OR ((pulled_usd_minor IS NULL) AND (sent_usd_minor IS NULL)))),
  constraint payment_method_check CHECK ((method = ANY (ARRAY['card'::text, 'bank'::text, 'wallet_partial'::text]))),
  constraint payment_method_fits CHECK (((purpose = 'send'::text) OR (method <> 'wallet_partial'::text))),
  constraint payment_minimum_target_minor_check CHECK ((minimum_target_minor > (0)::numeric)),
  constraint payment_of_guest CHECK (((purpose = 'request'::text) = (payer_name IS NOT NULL))),
  constraint payment_of_guest_by_card CHECK (((purpose <> 'request'::text) OR (method = 'card'::text))),
  constraint payment_of_two CHECK (((purpose = 'send'::text) = (recipient_id IS NOT NULL))),
  constraint payment_payer_name_check CHECK (((length(payer_name) >= 1) AND (length(payer_name) <= 80))),
  constraint payment_pkey PRIMARY KEY (id),
  constraint payment_priced_at_settlement CHECK (((minimum_target_minor IS NULL) OR ((purpose = 'send'::text) AND (method = 'bank'::text)))),
  constraint payment_pulled_usd_minor_check CHECK ((pulled_usd_minor >= (0)::numeric)),
  constraint payment_purpose_check CHECK ((purpose = ANY (ARRAY['deposit'::text, 'send'::text, 'request'::text]))),
  constraint payment_reason_is_code CHECK ((reason ~ '^[a-z_]+$'::text)),
  constraint payment_saved_card_id_fkey FOREIGN KEY (saved_card_id) REFERENCES public.saved_card(id),
  constraint payment_sent_usd_minor_check CHECK ((sent_usd_minor >= (0)::numeric)),
  constraint payment_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'reversed'::text, 'needs_review'::text]))),
  constraint payment_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key),
  constraint payment_wallet_part_minor_check CHECK ((wallet_part_minor >= (0)::numeric))
);
CREATE INDEX payment_needs_review ON public.payment USING btree (updated_at) WHERE (status = 'needs_review'::text);
CREATE INDEX payment_of_bank_account ON public.payment USING btree (bank_account_id) WHERE ((method = 'bank'::text) AND (status = 'completed'::text));
CREATE INDEX payment_pending ON public.payment USING btree (last_polled_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX payment_quote ON public.payment USING btree (quote_id) WHERE ((quote_id IS NOT NULL) AND (status <> 'failed'::text));
CREATE INDEX payment_session ON public.payment USING btree (provider, session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX payment_submitted_token ON public.payment USING btree (submitted_token) WHERE (submitted_token IS NOT NULL);
CREATE INDEX payment_transaction ON public.payment USING btree (transaction_id) WHERE (transaction_id IS NOT NULL);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.payment FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id', 'recipient_id');

create table public.payment_request (
  id uuid not null,
  requester_id bigint not null,
  payer_id bigint,
  amount_minor numeric(38,0) not null,
  currency text not null,
  description text,
  name text,
  allows_parts boolean not null,
  status text default 'open'::text not null,
  paid_minor numeric(38,0) default 0 not null,
  reserved_minor numeric(38,0) default 0 not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  seen_at timestamp with time zone,
  opened integer default 0 not null,
  accepted_for date,
  accepted_reminder_at timestamp with time zone,
  decline_reason text,
  reminded_at timestamp with time zone,
  constraint payment_request_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint payment_request_answered_by_payer CHECK (((payer_id IS NOT NULL) OR ((accepted_for IS NULL) AND (decline_reason IS NULL) AND (status <> 'declined'::text)))),
  constraint payment_request_closed_once CHECK (((status = 'open'::text) = (closed_at IS NULL))),
  constraint payment_request_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint payment_request_decline_reason_check CHECK ((length(decline_reason) <= 200)),
  constraint payment_request_description_check CHECK (((length(description) >= 1) AND (length(description) <= 200))),
  constraint payment_request_expires_later CHECK ((expires_at > created_at)),
  constraint payment_request_name_check CHECK ((length(name) <= 80)),
  constraint payment_request_not_overpaid CHECK (((paid_minor + reserved_minor) <= amount_minor)),
  constraint payment_request_of_two CHECK ((payer_id <> requester_id)),
  constraint payment_request_paid_in_full CHECK (((status = 'paid'::text) = (paid_minor = amount_minor))),
  constraint payment_request_paid_minor_check CHECK ((paid_minor >= (0)::numeric)),
  constraint payment_request_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES public.app_user(id),
  constraint payment_request_pkey PRIMARY KEY (id),
  constraint payment_request_requester_id_fkey FOREIGN KEY (requester_id) REFERENCES public.app_user(id),
  constraint payment_request_requester_id_idempotency_key_key UNIQUE (requester_id, idempotency_key),
  constraint payment_request_reserved_minor_check CHECK ((reserved_minor >= (0)::numeric)),
  constraint payment_request_reserved_while_open CHECK (((status = 'open'::text) OR (reserved_minor = (0)::numeric))),
  constraint payment_request_status_check CHECK ((status = ANY (ARRAY['open'::text, 'paid'::text, 'expired'::text, 'cancelled'::text, 'declined'::text])))
);
CREATE INDEX payment_request_accepted ON public.payment_request USING btree (accepted_for) WHERE ((status = 'open'::text) AND (accepted_for IS NOT NULL) AND (accepted_reminder_at IS NULL));
CREATE INDEX payment_request_due ON public.payment_request USING btree (expires_at) WHERE (status = 'open'::text);
CREATE INDEX payment_request_of_payer ON public.payment_request USING btree (payer_id, id) WHERE (payer_id IS NOT NULL);
CREATE INDEX payment_request_of_requester ON public.payment_request USING btree (requester_id, id);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.payment_request FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('requester_id', 'payer_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF requester_id, payer_id, amount_minor, currency, allows_parts, created_at, expires_at ON public.payment_request FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'requester_id', 'payer_id', 'amount_minor', 'currency', 'allows_parts', 'created_at', 'expires_at');

create table public.payout (
  id uuid not null,
  user_id bigint not null,
  bank_account_id uuid not null,
  amount_minor numeric(38,0) not null,
  currency text not null,
  status text not null,
  provider text not null,
  provider_payout_id text,
  expected_on date not null,
  reason text,
  transaction_id uuid not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_polled_at timestamp with time zone not null,
  submitted_token text,
  usd_minor numeric(38,0) default 0 not null,
  fee_minor numeric(38,0) default 0 not null,
  card_minor numeric(38,0) default 0 not null,
  cost_version integer,
  returns_payment_id uuid,
  constraint payout_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint payout_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES public.bank_account(id),
  constraint payout_check CHECK (((card_minor >= (0)::numeric) AND (card_minor <= amount_minor))),
  constraint payout_cost_version_fkey FOREIGN KEY (cost_version) REFERENCES public.withdrawal_cost_policy(version),
  constraint payout_fee_is_of_card_money CHECK (((fee_minor = (0)::numeric) OR (card_minor > (0)::numeric))),
  constraint payout_fee_minor_check CHECK ((fee_minor >= (0)::numeric)),
  constraint payout_pkey PRIMARY KEY (id),
  constraint payout_reason_is_code CHECK ((reason ~ '^[a-z_]+$'::text)),
  constraint payout_return_is_free CHECK (((returns_payment_id IS NULL) OR ((fee_minor = (0)::numeric) AND (usd_minor = (0)::numeric)))),
  constraint payout_returns_payment_id_fkey FOREIGN KEY (returns_payment_id) REFERENCES public.payment(id),
  constraint payout_status_check CHECK ((status = ANY (ARRAY['held'::text, 'pending'::text, 'completed'::text, 'failed'::text, 'returned'::text, 'needs_review'::text]))),
  constraint payout_usd_minor_check CHECK ((usd_minor >= (0)::numeric)),
  constraint payout_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key)
);
CREATE UNIQUE INDEX payout_at_provider ON public.payout USING btree (provider, provider_payout_id) WHERE (provider_payout_id IS NOT NULL);
CREATE INDEX payout_of_account ON public.payout USING btree (bank_account_id, created_at);
CREATE INDEX payout_pending ON public.payout USING btree (last_polled_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX payout_return ON public.payout USING btree (returns_payment_id) WHERE (returns_payment_id IS NOT NULL);
CREATE INDEX payout_submitted_token ON public.payout USING btree (submitted_token) WHERE (submitted_token IS NOT NULL);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.payout FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.protection_action (
  id uuid not null,
  rule_id uuid not null,
  incoming_id uuid,
  state text not null,
  reason text,
  tries integer default 0 not null,
  try_at timestamp with time zone,
  transaction_id uuid,
  created_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint protection_action_done CHECK (((state = 'done'::text) = (transaction_id IS NOT NULL))),
  constraint protection_action_once UNIQUE (rule_id, incoming_id),
  constraint protection_action_open CHECK ((((state = 'waiting'::text) = (try_at IS NOT NULL)) AND ((state = 'waiting'::text) = (closed_at IS NULL)))),
  constraint protection_action_pkey PRIMARY KEY (id),
  constraint protection_action_reason_check CHECK ((reason ~ '^[a-z][a-z_]{1,60}$'::text)),
  constraint protection_action_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES public.protection_rule(id) ON DELETE CASCADE,
  constraint protection_action_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'not_needed'::text, 'refused'::text]))),
  constraint protection_action_transaction_id_key UNIQUE (transaction_id),
  constraint protection_action_tries_check CHECK ((tries >= 0))
);
CREATE INDEX protection_action_closed ON public.protection_action USING btree (closed_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX protection_action_done_at ON public.protection_action USING btree (rule_id, closed_at) WHERE (state = 'done'::text);
CREATE INDEX protection_action_due ON public.protection_action USING btree (try_at) WHERE (state = 'waiting'::text);

create table public.protection_position (
  only_row boolean default true not null,
  "position" xid8 not null,
  cluster bigint not null,
  constraint protection_position_only_row_check CHECK (only_row),
  constraint protection_position_pkey PRIMARY KEY (only_row)
);

create table public.protection_rule (
  id uuid not null,
  user_id bigint not null,
  kind text not null,
  is_on boolean not null,
  currency text not null,
  base_currency text not null,
  share_percent integer,
  threshold_minor numeric(38,0),
  check_at timestamp with time zone,
  acts_from timestamp with time zone,
  on_since timestamp with time zone not null,
  waiting_reason text,
  waiting_since timestamp with time zone,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint protection_rule_base_currency_fkey FOREIGN KEY (base_currency) REFERENCES ledger.currency(code),
  constraint protection_rule_currency CHECK ((currency <> base_currency)),
  constraint protection_rule_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint protection_rule_kind CHECK ((((kind = 'keep_share'::text) = (share_percent IS NOT NULL)) AND ((kind = 'convert_incoming'::text) = (threshold_minor IS NOT NULL)))),
  constraint protection_rule_kind_check CHECK ((kind = ANY (ARRAY['keep_share'::text, 'convert_incoming'::text]))),
  constraint protection_rule_pkey PRIMARY KEY (id),
  constraint protection_rule_share_percent_check CHECK (((share_percent >= 1) AND (share_percent <= 99))),
  constraint protection_rule_threshold_minor_check CHECK ((threshold_minor >= (0)::numeric)),
  constraint protection_rule_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint protection_rule_waiting CHECK (((waiting_reason IS NULL) = (waiting_since IS NULL))),
  constraint protection_rule_waiting_reason_check CHECK ((waiting_reason ~ '^[a-z][a-z_]{1,60}$'::text))
);
CREATE INDEX protection_rule_check ON public.protection_rule USING btree (check_at) WHERE (is_on AND (kind = 'keep_share'::text));
CREATE INDEX protection_rule_incoming ON public.protection_rule USING btree (user_id) WHERE (is_on AND (kind = 'convert_incoming'::text));
CREATE INDEX protection_rule_person ON public.protection_rule USING btree (user_id, created_at);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.protection_rule FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF user_id, kind, is_on, currency, base_currency, share_percent, threshold_minor ON public.protection_rule FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'user_id', 'kind', 'is_on', 'currency', 'base_currency', 'share_percent', 'threshold_minor');

create table public.provider_event (
  provider text not null,
  id text not null,
  subject_id uuid,
  received_at timestamp with time zone not null,
  outcome text not null,
  constraint provider_event_outcome_is_code CHECK ((outcome ~ '^[a-z_]+$'::text)),
  constraint provider_event_pkey PRIMARY KEY (provider, id)
);
CREATE INDEX provider_event_received_at ON public.provider_event USING btree (received_at);

create table public.quote (
  id uuid not null,
  user_id bigint not null,
  recipient_id bigint,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  locked_price jsonb not null,
  signature bytea not null,
  replaced_by uuid,
  constraint quote_pkey PRIMARY KEY (id)
);
CREATE INDEX quote_expires_at ON public.quote USING btree (expires_at);
CREATE INDEX quote_replaced ON public.quote USING btree (expires_at) WHERE (replaced_by IS NOT NULL);

create table public.rate_alert (
  id uuid not null,
  user_id bigint not null,
  source_currency text not null,
  target_currency text not null,
  rate_side text not null,
  rate text not null,
  trigger_numerator numeric(90,0) not null,
  trigger_denominator numeric(90,0) not null,
  told_at timestamp with time zone,
  told_rate text,
  told_source text,
  told_as_of timestamp with time zone,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint rate_alert_pkey PRIMARY KEY (id),
  constraint rate_alert_rate_check CHECK ((rate ~ '^\d{1,15}(\.\d{1,15})?$'::text)),
  constraint rate_alert_rate_side_check CHECK ((rate_side = ANY (ARRAY['at_least'::text, 'at_most'::text]))),
  constraint rate_alert_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES ledger.currency(code),
  constraint rate_alert_target_currency_fkey FOREIGN KEY (target_currency) REFERENCES ledger.currency(code),
  constraint rate_alert_told CHECK ((((told_at IS NULL) = (told_rate IS NULL)) AND ((told_at IS NULL) = (told_source IS NULL)) AND ((told_at IS NULL) = (told_as_of IS NULL)))),
  constraint rate_alert_trigger_denominator_check CHECK ((trigger_denominator > (0)::numeric)),
  constraint rate_alert_trigger_numerator_check CHECK ((trigger_numerator > (0)::numeric)),
  constraint rate_alert_two_currencies CHECK ((source_currency <> target_currency)),
  constraint rate_alert_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX rate_alert_old ON public.rate_alert USING btree (told_at) WHERE (told_at IS NOT NULL);
CREATE INDEX rate_alert_person ON public.rate_alert USING btree (user_id, created_at);
CREATE INDEX rate_alert_triggered ON public.rate_alert USING btree (source_currency, target_currency, rate_side, div((trigger_numerator * '1000000000000000000000000000000'::numeric), trigger_denominator)) WHERE (told_at IS NULL);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.rate_alert FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.rate_fix (
  id uuid not null,
  source text not null,
  base text not null,
  quote text not null,
  as_of timestamp with time zone not null,
  numerator numeric(90,0) not null,
  denominator numeric(90,0) not null,
  received_at timestamp with time zone not null,
  state text not null,
  decided_by text,
  decided_at timestamp with time zone,
  constraint rate_fix_base_fkey FOREIGN KEY (base) REFERENCES ledger.currency(code),
  constraint rate_fix_decided CHECK (((decided_by IS NULL) = (decided_at IS NULL))),
  constraint rate_fix_denominator_check CHECK ((denominator > (0)::numeric)),
  constraint rate_fix_numerator_check CHECK ((numerator > (0)::numeric)),
  constraint rate_fix_once UNIQUE (source, base, quote, as_of, numerator, denominator),
  constraint rate_fix_pkey PRIMARY KEY (id),
  constraint rate_fix_quote_fkey FOREIGN KEY (quote) REFERENCES ledger.currency(code),
  constraint rate_fix_source_check CHECK ((source ~ '^[a-z][a-z0-9_-]{0,39}$'::text)),
  constraint rate_fix_state_check CHECK ((state = ANY (ARRAY['accepted'::text, 'held_back'::text, 'rejected'::text]))),
  constraint rate_fix_two_currencies CHECK ((base <> quote))
);
CREATE INDEX rate_fix_held_back ON public.rate_fix USING btree (source, base, quote) WHERE (state = 'held_back'::text);

create table public.rate_latest (
  source text not null,
  base text not null,
  quote text not null,
  fix_id uuid not null,
  confirmed_at timestamp with time zone not null,
  constraint rate_latest_fix_id_fkey FOREIGN KEY (fix_id) REFERENCES public.rate_fix(id),
  constraint rate_latest_pkey PRIMARY KEY (source, base, quote)
);

create unlogged table public.rate_limit (
  key text not null,
  counted integer not null,
  held integer not null,
  granted integer not null,
  ends_at timestamp with time zone not null,
  constraint rate_limit_pkey PRIMARY KEY (key)
) with (fillfactor=50);

create table public.rate_policy (
  kind text not null,
  max_age_seconds integer not null,
  skips_closing_days boolean not null,
  max_jump_parts_per_million integer not null,
  constraint rate_policy_kind_check CHECK ((kind = ANY (ARRAY['fiat'::text, 'stablecoin'::text, 'crypto'::text]))),
  constraint rate_policy_max_age_seconds_check CHECK ((max_age_seconds > 0)),
  constraint rate_policy_max_jump_parts_per_million_check CHECK ((max_jump_parts_per_million > 0)),
  constraint rate_policy_pkey PRIMARY KEY (kind)
);

create table public.rate_return_alert (
  user_id bigint not null,
  source_currency text not null,
  target_currency text not null,
  created_at timestamp with time zone not null,
  constraint rate_return_alert_pkey PRIMARY KEY (user_id, source_currency, target_currency),
  constraint rate_return_alert_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES ledger.currency(code),
  constraint rate_return_alert_target_currency_fkey FOREIGN KEY (target_currency) REFERENCES ledger.currency(code),
  constraint rate_return_alert_two_currencies CHECK ((source_currency <> target_currency)),
  constraint rate_return_alert_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX rate_return_alert_old ON public.rate_return_alert USING btree (created_at);
CREATE INDEX rate_return_alert_pair ON public.rate_return_alert USING btree (source_currency, target_currency);

create table public.reconciliation_exception (
  id uuid not null,
  kind text not null,
  provider text not null,
  subject text not null,
  reference uuid,
  amount_minor numeric(38,0),
  currency text,
  detail text not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  resolution text,
  happened_at timestamp with time zone,
  resolved_manually boolean default false not null,
  reported_at timestamp with time zone,
  taken_up_at timestamp with time zone,
  taken_up_by text,
  taken_up_because text,
  taken_up_until timestamp with time zone,
  params jsonb default '{}'::jsonb not null,
  resolution_note text,
  owner_id bigint,
  constraint reconciliation_exception_closed CHECK (((resolution IS NULL) = (closed_at IS NULL))),
  constraint reconciliation_exception_is_coded CHECK (((detail ~ '^[a-z_]+$'::text) AND (resolution ~ '^[a-z_]+$'::text))),
  constraint reconciliation_exception_kind_check CHECK ((kind = ANY (ARRAY['missing_internal'::text, 'missing_external'::text, 'amount_differs'::text, 'unmatched'::text, 'loss'::text, 'ledger_differs'::text]))),
  constraint reconciliation_exception_note_is_manual CHECK (((resolution_note IS NULL) OR (resolution = 'manual'::text))),
  constraint reconciliation_exception_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.app_user(id),
  constraint reconciliation_exception_pkey PRIMARY KEY (id),
  constraint reconciliation_exception_resolved CHECK (((closed_at IS NOT NULL) OR (NOT resolved_manually))),
  constraint reconciliation_exception_taken_up CHECK ((((taken_up_at IS NULL) = (taken_up_by IS NULL)) AND ((taken_up_at IS NULL) = (taken_up_because IS NULL)) AND ((taken_up_until IS NULL) OR (taken_up_at IS NOT NULL))))
);
CREATE UNIQUE INDEX reconciliation_exception_open ON public.reconciliation_exception USING btree (kind, provider, subject) WHERE (closed_at IS NULL);
CREATE INDEX reconciliation_exception_open_loss ON public.reconciliation_exception USING btree (reference) WHERE ((kind = 'loss'::text) AND (closed_at IS NULL));
CREATE INDEX reconciliation_exception_open_loss_of ON public.reconciliation_exception USING btree (owner_id) WHERE ((kind = 'loss'::text) AND (closed_at IS NULL));
CREATE INDEX reconciliation_exception_resolved_manually ON public.reconciliation_exception USING btree (kind, provider, subject) WHERE resolved_manually;
CREATE TRIGGER loss_has_owner BEFORE INSERT ON public.reconciliation_exception FOR EACH ROW WHEN ((new.kind = 'loss'::text)) EXECUTE FUNCTION public.set_loss_owner();
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF kind, provider, subject, reference, amount_minor, currency, opened_at, happened_at, closed_at, resolution, resolved_manually ON public.reconciliation_exception FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'kind', 'provider', 'subject', 'reference', 'amount_minor', 'currency', 'opened_at', 'happened_at', 'closed_at', 'resolution', 'resolved_manually');

create table public.reconciliation_run (
  id uuid not null,
  provider text not null,
  from_at timestamp with time zone not null,
  until_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  compared integer not null,
  taken_in integer not null,
  unresolved integer not null,
  cases_opened integer not null,
  cases_closed integer not null,
  constraint reconciliation_run_pkey PRIMARY KEY (id)
);
CREATE INDEX reconciliation_run_last ON public.reconciliation_run USING btree (provider, until_at) WHERE (unresolved = 0);

create table public.recovery_code (
  user_id bigint not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint recovery_code_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);

create table public.refresh_token (
  hash bytea not null,
  session_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  answered_at timestamp with time zone,
  successor bytea,
  constraint refresh_token_pkey PRIMARY KEY (hash),
  constraint refresh_token_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.session(id)
);
CREATE INDEX refresh_token_by_session ON public.refresh_token USING btree (session_id);
CREATE INDEX refresh_token_expires_at ON public.refresh_token USING btree (expires_at);

create table public.refused_payment (
  user_id bigint not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  code text not null,
  details jsonb not null,
  refused_at timestamp with time zone not null,
  constraint refused_payment_is_coded CHECK (((code ~ '^[a-z_]+$'::text) AND (NOT (details ? 'detail'::text)) AND (NOT jsonb_path_exists(details, '$."errors"[*]."message"'::jsonpath)))),
  constraint refused_payment_pkey PRIMARY KEY (user_id, idempotency_key)
);

create table public.reporting_threshold (
  country text not null,
  source text not null,
  valid_from date not null,
  currency text not null,
  threshold_minor numeric(38,0) not null,
  constraint reporting_threshold_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint reporting_threshold_pkey PRIMARY KEY (country, source, valid_from),
  constraint reporting_threshold_source_check CHECK ((source ~ '^[a-z0-9_]{1,60}$'::text)),
  constraint reporting_threshold_threshold_minor_check CHECK ((threshold_minor > (0)::numeric))
);
CREATE TRIGGER note_limit_policy AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.reporting_threshold FOR EACH STATEMENT EXECUTE FUNCTION public.note_limit_policy();

create table public.request_payment (
  posting_id uuid not null,
  request_id uuid not null,
  transaction_id uuid not null,
  payer_id bigint,
  amount_minor numeric(38,0) not null,
  paid_minor numeric(38,0) not null,
  paid_currency text not null,
  status text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  payment_id uuid,
  constraint request_payment_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint request_payment_has_origin CHECK (((payer_id IS NOT NULL) OR (payment_id IS NOT NULL))),
  constraint request_payment_paid_currency_fkey FOREIGN KEY (paid_currency) REFERENCES ledger.currency(code),
  constraint request_payment_paid_minor_check CHECK ((paid_minor > (0)::numeric)),
  constraint request_payment_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES public.app_user(id),
  constraint request_payment_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payment(id),
  constraint request_payment_payment_id_key UNIQUE (payment_id),
  constraint request_payment_pkey PRIMARY KEY (posting_id),
  constraint request_payment_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_request(id),
  constraint request_payment_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'settled'::text, 'released'::text]))),
  constraint request_payment_transaction_id_key UNIQUE (transaction_id)
);
CREATE INDEX request_payment_of_payer ON public.request_payment USING btree (payer_id, request_id);
CREATE INDEX request_payment_of_request ON public.request_payment USING btree (request_id, created_at);
CREATE INDEX request_payment_of_transaction ON public.request_payment USING btree (transaction_id);

create table public.reserved_username (
  word text not null,
  as_part boolean not null,
  constraint reserved_username_pkey PRIMARY KEY (word),
  constraint reserved_username_word_check CHECK ((word ~ '^[a-z0-9]+$'::text))
);

create table public.restricted_money (
  id bigint generated always as identity not null,
  account_id bigint not null,
  hold_reference uuid,
  user_id bigint not null,
  currency text not null,
  minor numeric(38,0) not null,
  reason text not null,
  origin uuid not null,
  matures_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint restricted_money_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger.account(id),
  constraint restricted_money_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint restricted_money_matures CHECK (((reason = 'provisional_credit'::text) = (matures_at = 'infinity'::timestamp with time zone))),
  constraint restricted_money_minor_check CHECK ((minor > (0)::numeric)),
  constraint restricted_money_once UNIQUE NULLS NOT DISTINCT (account_id, hold_reference, reason, origin, matures_at),
  constraint restricted_money_pkey PRIMARY KEY (id),
  constraint restricted_money_reason_check CHECK ((reason = ANY (ARRAY['card'::text, 'bank_debit'::text, 'provisional_credit'::text]))),
  constraint restricted_money_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX restricted_money_matured ON public.restricted_money USING btree (matures_at);
CREATE INDEX restricted_money_of_origin ON public.restricted_money USING btree (origin);
CREATE INDEX restricted_money_of_user ON public.restricted_money USING btree (user_id);

create table public.retained_hash_key (
  purpose text not null,
  key_id text not null,
  key bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint retained_hash_key_key_id_check CHECK ((key_id ~ '^[0-9a-f]{8}$'::text)),
  constraint retained_hash_key_pkey PRIMARY KEY (purpose, key_id)
);

create table public.retained_identity (
  id uuid not null,
  user_id bigint not null,
  content bytea not null,
  closed_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  constraint retained_identity_check CHECK ((due_at >= closed_at)),
  constraint retained_identity_pkey PRIMARY KEY (id),
  constraint retained_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint retained_identity_user_id_key UNIQUE (user_id)
);
CREATE INDEX retained_identity_due ON public.retained_identity USING btree (due_at);

create table public.risk_decision (
  id uuid not null,
  movement uuid not null,
  user_id bigint not null,
  decided_at timestamp with time zone not null,
  policy_version integer not null,
  kind text not null,
  payee text,
  usd_minor numeric(38,0) not null,
  rule text not null,
  passed boolean not null,
  inputs jsonb not null,
  taken_back_at timestamp with time zone,
  request_digest bytea,
  requests integer default 1 not null,
  closed_at timestamp with time zone,
  constraint risk_decision_kind_check CHECK ((kind = ANY (ARRAY['transfer'::text, 'payout'::text, 'pull'::text]))),
  constraint risk_decision_pkey PRIMARY KEY (id),
  constraint risk_decision_policy_version_fkey FOREIGN KEY (policy_version) REFERENCES public.risk_policy(version),
  constraint risk_decision_request_digest_check CHECK ((length(request_digest) = 32)),
  constraint risk_decision_requests_check CHECK ((requests >= 0)),
  constraint risk_decision_rule_check CHECK ((rule = ANY (ARRAY['trusted_payee'::text, 'allowance'::text, 'proven'::text, 'allowance_amount'::text, 'allowance_payments'::text, 'new_payees'::text]))),
  constraint risk_decision_usd_minor_check CHECK ((usd_minor >= (0)::numeric)),
  constraint risk_decision_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX risk_decision_of_user ON public.risk_decision USING btree (user_id, decided_at);
CREATE INDEX risk_decision_old ON public.risk_decision USING brin (decided_at) WITH (pages_per_range='16', autosummarize='on');
CREATE UNIQUE INDEX risk_decision_open ON public.risk_decision USING btree (movement, request_digest) WHERE (passed AND (taken_back_at IS NULL) AND (closed_at IS NULL));

create table public.risk_payee_day (
  user_id bigint not null,
  day date not null,
  payee text not null,
  is_trusted boolean not null,
  usd_minor numeric(38,0) not null,
  constraint risk_payee_day_pkey PRIMARY KEY (user_id, day, payee, is_trusted),
  constraint risk_payee_day_usd_minor_check CHECK ((usd_minor >= (0)::numeric)),
  constraint risk_payee_day_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
) with (fillfactor=50);
CREATE INDEX risk_payee_day_old ON public.risk_payee_day USING brin (day) WITH (pages_per_range='16', autosummarize='on');

create table public.risk_policy (
  version integer not null,
  allowance_usd_minor numeric(38,0) not null,
  allowance_payments integer not null,
  new_payees_per_day integer not null,
  trusted_after_hours integer not null,
  trusted_payee_usd_minor numeric(38,0) not null,
  new_device_hours integer not null,
  new_factor_hours integer not null,
  constraint risk_policy_allowance_payments_check CHECK ((allowance_payments >= 0)),
  constraint risk_policy_allowance_usd_minor_check CHECK ((allowance_usd_minor >= (0)::numeric)),
  constraint risk_policy_new_device_hours_check CHECK ((new_device_hours >= 0)),
  constraint risk_policy_new_factor_hours_check CHECK ((new_factor_hours >= 0)),
  constraint risk_policy_new_payees_per_day_check CHECK ((new_payees_per_day >= 0)),
  constraint risk_policy_pkey PRIMARY KEY (version),
  constraint risk_policy_trusted_after_hours_check CHECK ((trusted_after_hours > 0)),
  constraint risk_policy_trusted_payee_usd_minor_check CHECK ((trusted_payee_usd_minor >= (0)::numeric)),
  constraint risk_policy_version_check CHECK ((version > 0))
);
CREATE TRIGGER note_limit_policy AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.risk_policy FOR EACH STATEMENT EXECUTE FUNCTION public.note_limit_policy();

create table public.risk_profile (
  user_id bigint not null,
  proven_at timestamp with time zone,
  counted_since timestamp with time zone,
  unproven_usd_minor numeric(38,0) default 0 not null,
  unproven_payments integer default 0 not null,
  constraint risk_profile_pkey PRIMARY KEY (user_id),
  constraint risk_profile_unproven_payments_check CHECK ((unproven_payments >= 0)),
  constraint risk_profile_unproven_usd_minor_check CHECK ((unproven_usd_minor >= (0)::numeric)),
  constraint risk_profile_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);

create table public.row_acceptance (
  relation text not null,
  row_key text not null,
  accepted_at timestamp with time zone default now() not null,
  accepted_by text not null,
  because text not null,
  constraint row_acceptance_accepted_by_check CHECK (((length(accepted_by) >= 1) AND (length(accepted_by) <= 60))),
  constraint row_acceptance_because_check CHECK (((length(because) >= 1) AND (length(because) <= 500))),
  constraint row_acceptance_pkey PRIMARY KEY (relation, row_key, accepted_at)
);

create table public.row_seal (
  relation text not null,
  row_key text not null,
  hash bytea not null,
  key_id text,
  signature bytea,
  sealed_at timestamp with time zone default now() not null,
  constraint row_seal_check CHECK (((key_id IS NULL) = (signature IS NULL))),
  constraint row_seal_hash_check CHECK ((octet_length(hash) = 32)),
  constraint row_seal_pkey PRIMARY KEY (relation, row_key)
);

create table public.saved_card (
  id uuid not null,
  user_id bigint not null,
  provider text not null,
  token text not null,
  fingerprint text not null,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  is_default boolean not null,
  saved_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint saved_card_exp_month_check CHECK (((exp_month >= 1) AND (exp_month <= 12))),
  constraint saved_card_last4_check CHECK ((length(last4) = 4)),
  constraint saved_card_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX saved_card_default ON public.saved_card USING btree (user_id) WHERE (is_default AND (removed_at IS NULL));
CREATE UNIQUE INDEX saved_card_once ON public.saved_card USING btree (user_id, provider, fingerprint) WHERE (removed_at IS NULL);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.saved_card FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.schedule (
  id uuid not null,
  user_id bigint not null,
  payee_id bigint not null,
  wallet_id uuid not null,
  source_currency text not null,
  target_currency text not null,
  side text not null,
  amount_minor numeric(38,0) not null,
  note text not null,
  recurrence text not null,
  anchor_on date not null,
  time_zone text not null,
  ceiling_minor numeric(38,0) not null,
  has_rate_guard boolean not null,
  wait_days smallint not null,
  confirmed_at timestamp with time zone,
  state text not null,
  next_on date,
  next_at timestamp with time zone,
  warn_at timestamp with time zone,
  paused_until date,
  resume_at timestamp with time zone,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  confirmed_recurrence text not null,
  confirmed_ceiling_minor numeric(38,0) not null,
  confirmed_from date not null,
  constraint schedule_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint schedule_ceiling_minor_check CHECK ((ceiling_minor > (0)::numeric)),
  constraint schedule_confirmed_ceiling_minor_check CHECK ((confirmed_ceiling_minor > (0)::numeric)),
  constraint schedule_confirmed_recurrence_check CHECK ((confirmed_recurrence = ANY (ARRAY['once'::text, 'weekly'::text, 'biweekly'::text, 'monthly'::text, 'month_end'::text]))),
  constraint schedule_guard CHECK (((NOT has_rate_guard) OR ((side = 'target'::text) AND (source_currency <> target_currency)))),
  constraint schedule_next CHECK ((((next_on IS NULL) = (next_at IS NULL)) AND ((warn_at IS NULL) OR (next_at IS NOT NULL)))),
  constraint schedule_note_check CHECK ((length(note) <= 200)),
  constraint schedule_other_person CHECK ((payee_id <> user_id)),
  constraint schedule_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.app_user(id),
  constraint schedule_pkey PRIMARY KEY (id),
  constraint schedule_recurrence_check CHECK ((recurrence = ANY (ARRAY['once'::text, 'weekly'::text, 'biweekly'::text, 'monthly'::text, 'month_end'::text]))),
  constraint schedule_resume CHECK (((paused_until IS NULL) = (resume_at IS NULL))),
  constraint schedule_side_check CHECK ((side = ANY (ARRAY['source'::text, 'target'::text]))),
  constraint schedule_state CHECK (
CASE state
    WHEN 'active'::text THEN (((next_on IS NOT NULL) OR (recurrence = 'once'::text)) AND (paused_until IS NULL) AND (ended_at IS NULL))
    WHEN 'paused'::text THEN (((next_on IS NULL) = (paused_until IS NULL)) AND (ended_at IS NULL))
    ELSE ((next_on IS NULL) AND (paused_until IS NULL) AND (ended_at IS NOT NULL))
END),
  constraint schedule_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'stopped'::text, 'finished'::text]))),
  constraint schedule_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint schedule_wait_days_check CHECK (((wait_days >= 0) AND (wait_days <= 6))),
  constraint schedule_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallet(id),
  constraint schedule_within_confirmed CHECK ((ceiling_minor <= confirmed_ceiling_minor))
);
CREATE INDEX schedule_due ON public.schedule USING btree (next_at) WHERE (state = 'active'::text);
CREATE INDEX schedule_ended ON public.schedule USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX schedule_owner ON public.schedule USING btree (user_id, state);
CREATE INDEX schedule_resume ON public.schedule USING btree (resume_at) WHERE (state = 'paused'::text);
CREATE INDEX schedule_warn ON public.schedule USING btree (warn_at) WHERE (state = 'active'::text);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.schedule FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id', 'payee_id');
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF user_id, payee_id, wallet_id, source_currency, target_currency, side, amount_minor, recurrence, anchor_on, time_zone, ceiling_minor, has_rate_guard, wait_days, confirmed_at, confirmed_recurrence, confirmed_ceiling_minor, confirmed_from, state, next_on ON public.schedule FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'user_id', 'payee_id', 'wallet_id', 'source_currency', 'target_currency', 'side', 'amount_minor', 'recurrence', 'anchor_on', 'time_zone', 'ceiling_minor', 'has_rate_guard', 'wait_days', 'confirmed_at', 'confirmed_recurrence', 'confirmed_ceiling_minor', 'confirmed_from', 'state', 'next_on');

create table public.schedule_occurrence (
  id uuid not null,
  schedule_id uuid not null,
  on_date date not null,
  due_at timestamp with time zone not null,
  state text not null,
  reason text,
  tries integer default 0 not null,
  try_at timestamp with time zone,
  retry_until timestamp with time zone,
  transaction_id uuid,
  total_minor numeric(38,0),
  ceiling_minor numeric(38,0),
  closed_at timestamp with time zone,
  constraint schedule_occurrence_date UNIQUE (schedule_id, on_date),
  constraint schedule_occurrence_open CHECK ((((state = 'waiting'::text) = (try_at IS NOT NULL)) AND ((state = 'waiting'::text) = (closed_at IS NULL)))),
  constraint schedule_occurrence_pkey PRIMARY KEY (id),
  constraint schedule_occurrence_reason CHECK (((state = ANY (ARRAY['waiting'::text, 'sent'::text])) OR (reason IS NOT NULL))),
  constraint schedule_occurrence_reason_check CHECK ((reason ~ '^[a-z][a-z_]{1,60}$'::text)),
  constraint schedule_occurrence_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES public.schedule(id),
  constraint schedule_occurrence_sent CHECK ((((state = 'sent'::text) = (transaction_id IS NOT NULL)) AND ((state = 'sent'::text) = (total_minor IS NOT NULL)) AND ((state = 'sent'::text) = (ceiling_minor IS NOT NULL)))),
  constraint schedule_occurrence_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'skipped'::text, 'failed'::text, 'missed'::text]))),
  constraint schedule_occurrence_transaction_id_key UNIQUE (transaction_id),
  constraint schedule_occurrence_tries_check CHECK ((tries >= 0)),
  constraint schedule_occurrence_within_ceiling CHECK ((total_minor <= ceiling_minor))
);
CREATE INDEX schedule_occurrence_closed ON public.schedule_occurrence USING btree (closed_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX schedule_occurrence_due ON public.schedule_occurrence USING btree (try_at) WHERE (state = 'waiting'::text);
CREATE UNIQUE INDEX schedule_occurrence_waiting ON public.schedule_occurrence USING btree (schedule_id) WHERE (state = 'waiting'::text);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF schedule_id, on_date, due_at, state, transaction_id, total_minor, ceiling_minor, closed_at ON public.schedule_occurrence FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'schedule_id', 'on_date', 'due_at', 'state', 'transaction_id', 'total_minor', 'ceiling_minor', 'closed_at');

create table public.schema_migration (
  name text not null,
  applied_at timestamp with time zone default now() not null,
  checksum text,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table public.screening_counterparty (
  id uuid not null,
  kind text not null,
  user_id bigint not null,
  name text not null,
  screened_epoch integer default 0 not null,
  screened_at timestamp with time zone,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint screening_counterparty_kind_check CHECK ((kind = ANY (ARRAY['guest'::text, 'account_holder'::text]))),
  constraint screening_counterparty_name_check CHECK ((name <> ''::text)),
  constraint screening_counterparty_pkey PRIMARY KEY (id),
  constraint screening_counterparty_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX screening_counterparty_due ON public.screening_counterparty USING btree (screened_epoch, id) WHERE (ended_at IS NULL);
CREATE INDEX screening_counterparty_ended ON public.screening_counterparty USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX screening_counterparty_of_user ON public.screening_counterparty USING btree (user_id);

create table public.screening_entry (
  id uuid default gen_random_uuid() not null,
  source text not null,
  reference text not null,
  kind text not null,
  programme text not null,
  birth_dates text[] not null,
  countries text[] not null,
  content_hash text not null,
  first_version integer not null,
  changed_version integer not null,
  ended_version integer,
  constraint screening_entry_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'entity'::text, 'vessel'::text, 'aircraft'::text]))),
  constraint screening_entry_pkey PRIMARY KEY (id),
  constraint screening_entry_reference UNIQUE (source, reference),
  constraint screening_entry_source_fkey FOREIGN KEY (source) REFERENCES public.screening_policy(source)
);

create table public.screening_epoch (
  number integer not null,
  cause text not null,
  matcher_version integer not null,
  begun_at timestamp with time zone not null,
  ends_gap boolean default false not null,
  constraint screening_epoch_cause_check CHECK ((cause = ANY (ARRAY['import'::text, 'matcher'::text]))),
  constraint screening_epoch_matcher_version_check CHECK ((matcher_version > 0)),
  constraint screening_epoch_number_check CHECK ((number > 0)),
  constraint screening_epoch_pkey PRIMARY KEY (number)
);

create table public.screening_fetch (
  source text not null,
  files jsonb default '[]'::jsonb not null,
  version integer,
  tried_at timestamp with time zone not null,
  failure text,
  failing_since timestamp with time zone,
  constraint screening_fetch_check CHECK (((failure IS NULL) = (failing_since IS NULL))),
  constraint screening_fetch_failure_check CHECK ((failure <> ''::text)),
  constraint screening_fetch_files_check CHECK ((jsonb_typeof(files) = 'array'::text)),
  constraint screening_fetch_pkey PRIMARY KEY (source),
  constraint screening_fetch_source_fkey FOREIGN KEY (source) REFERENCES public.screening_policy(source),
  constraint screening_fetch_version_check CHECK ((version > 0))
);

create table public.screening_list (
  source text not null,
  version integer not null,
  sha256 text not null,
  files text[] not null,
  entries integer not null,
  published_at timestamp with time zone,
  imported_at timestamp with time zone not null,
  checked_at timestamp with time zone not null,
  constraint screening_list_entries_check CHECK ((entries > 0)),
  constraint screening_list_pkey PRIMARY KEY (source, version),
  constraint screening_list_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint screening_list_source_fkey FOREIGN KEY (source) REFERENCES public.screening_policy(source),
  constraint screening_list_version_check CHECK ((version > 0))
);

create table public.screening_match (
  id uuid not null,
  user_id bigint,
  entry_id uuid not null,
  status text not null,
  score_basis_points integer not null,
  tier text not null,
  listed_name text not null,
  list_version integer not null,
  birth_date_evidence text not null,
  country_evidence text not null,
  entry_hash text not null,
  person_hash text not null,
  found_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  cleared_by text,
  case_id uuid,
  counterparty_id uuid,
  constraint screening_match_birth_date_evidence_check CHECK ((birth_date_evidence = ANY (ARRAY['same'::text, 'close'::text, 'differs'::text, 'not_given'::text]))),
  constraint screening_match_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.compliance_case(id) ON DELETE SET NULL,
  constraint screening_match_closed CHECK ((((status = 'open'::text) = (closed_at IS NULL)) AND ((status = 'cleared'::text) = (cleared_by IS NOT NULL)))),
  constraint screening_match_counterparty_id_fkey FOREIGN KEY (counterparty_id) REFERENCES public.screening_counterparty(id) ON DELETE CASCADE,
  constraint screening_match_counterparty_once UNIQUE (counterparty_id, entry_id),
  constraint screening_match_country_evidence_check CHECK ((country_evidence = ANY (ARRAY['same'::text, 'differs'::text, 'not_given'::text]))),
  constraint screening_match_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES public.screening_entry(id),
  constraint screening_match_of_one CHECK ((num_nonnulls(user_id, counterparty_id) = 1)),
  constraint screening_match_once UNIQUE (user_id, entry_id),
  constraint screening_match_pkey PRIMARY KEY (id),
  constraint screening_match_score_basis_points_check CHECK (((score_basis_points >= 0) AND (score_basis_points <= 10000))),
  constraint screening_match_status_check CHECK ((status = ANY (ARRAY['open'::text, 'cleared'::text, 'ended'::text]))),
  constraint screening_match_tier_check CHECK ((tier = ANY (ARRAY['review'::text, 'hold'::text]))),
  constraint screening_match_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX screening_match_case ON public.screening_match USING btree (case_id);
CREATE INDEX screening_match_open ON public.screening_match USING btree (found_at) WHERE (status = 'open'::text);

create table public.screening_name (
  id bigint generated always as identity not null,
  entry_id uuid not null,
  name text not null,
  kind text not null,
  constraint screening_name_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES public.screening_entry(id),
  constraint screening_name_kind_check CHECK ((kind = ANY (ARRAY['primary'::text, 'alias'::text, 'weak'::text]))),
  constraint screening_name_pkey PRIMARY KEY (id)
);
CREATE INDEX screening_name_entry ON public.screening_name USING btree (entry_id);

create table public.screening_person (
  user_id bigint not null,
  screened_epoch integer default 0 not null,
  screened_at timestamp with time zone,
  constraint screening_person_pkey PRIMARY KEY (user_id),
  constraint screening_person_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX screening_person_due ON public.screening_person USING btree (screened_epoch, user_id);

create table public.screening_policy (
  source text not null,
  max_age_hours integer not null,
  max_vanished_percent integer not null,
  is_required boolean default false not null,
  constraint screening_policy_max_age_hours_check CHECK ((max_age_hours > 0)),
  constraint screening_policy_max_vanished_percent_check CHECK (((max_vanished_percent >= 0) AND (max_vanished_percent <= 100))),
  constraint screening_policy_pkey PRIMARY KEY (source),
  constraint screening_policy_source_check CHECK ((source = ANY (ARRAY['ofac_sdn'::text, 'ofac_consolidated'::text, 'un'::text, 'eu'::text, 'uk'::text, 'pep'::text])))
);

create table public.send_guard (
  user_id bigint not null,
  generation bigint default 0 not null,
  free_until timestamp with time zone,
  free_payment_usd_minor numeric(38,0),
  free_version bigint,
  constraint send_guard_free_payment_usd_minor_check CHECK ((free_payment_usd_minor >= (0)::numeric)),
  constraint send_guard_pkey PRIMARY KEY (user_id),
  constraint send_guard_room CHECK ((((free_until IS NULL) = (free_payment_usd_minor IS NULL)) AND ((free_until IS NULL) = (free_version IS NULL)))),
  constraint send_guard_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id) ON DELETE CASCADE
) with (fillfactor=50);

create table public.session (
  id uuid not null,
  user_id bigint not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  user_agent text not null,
  address_prefix text not null,
  revoked_at timestamp with time zone,
  revoked_reason text,
  sign_in_method text default 'password'::text not null,
  device bytea,
  country text,
  constraint session_check CHECK (((revoked_at IS NULL) = (revoked_reason IS NULL))),
  constraint session_pkey PRIMARY KEY (id),
  constraint session_revoked_reason_is_code CHECK ((revoked_reason ~ '^[a-z_]+$'::text)),
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX session_device_of_user ON public.session USING btree (user_id, device);
CREATE INDEX session_last_used_at ON public.session USING btree (last_used_at);
CREATE INDEX session_live_by_user ON public.session USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.session FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('user_id');

create table public.settlement_line (
  provider text not null,
  id text not null,
  kind text not null,
  amount_minor numeric(38,0) not null,
  currency text not null,
  reference uuid not null,
  posting_id uuid not null,
  occurred_at timestamp with time zone not null,
  undoes text,
  undone_kind text,
  constraint settlement_line_amount_minor_check CHECK ((amount_minor <> (0)::numeric)),
  constraint settlement_line_kind_check CHECK ((kind = ANY (ARRAY['capture'::text, 'debit'::text, 'refund'::text, 'chargeback'::text, 'chargeback_reversal'::text, 'debit_return'::text, 'payout'::text, 'payout_return'::text]))),
  constraint settlement_line_pkey PRIMARY KEY (provider, id),
  constraint settlement_line_undoes CHECK (((kind = 'chargeback_reversal'::text) OR ((undoes IS NULL) AND (undone_kind IS NULL)))),
  constraint settlement_line_undone_kind_check CHECK ((undone_kind = ANY (ARRAY['refund'::text, 'chargeback'::text, 'debit_return'::text])))
);
CREATE INDEX settlement_line_reference ON public.settlement_line USING btree (reference);
CREATE INDEX settlement_line_time ON public.settlement_line USING btree (provider, occurred_at);
CREATE CONSTRAINT TRIGGER returned_once AFTER INSERT ON public.settlement_line DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = 'payout_return'::text)) EXECUTE FUNCTION public.require_given_once();

create table public.shown_name (
  viewer_id bigint not null,
  owner_id bigint not null,
  shown_at timestamp with time zone not null,
  constraint shown_name_of_another CHECK ((viewer_id <> owner_id)),
  constraint shown_name_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.app_user(id),
  constraint shown_name_pkey PRIMARY KEY (viewer_id, owner_id),
  constraint shown_name_viewer_id_fkey FOREIGN KEY (viewer_id) REFERENCES public.app_user(id)
);
CREATE INDEX shown_name_by_owner ON public.shown_name USING btree (owner_id);
CREATE INDEX shown_name_by_time ON public.shown_name USING btree (shown_at);
CREATE TRIGGER people_are_there BEFORE INSERT ON public.shown_name FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('viewer_id', 'owner_id');

create table public.sign_in_challenge (
  hash bytea not null,
  user_id bigint not null,
  sign_in_method text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  credentials_version bigint default 0 not null,
  constraint sign_in_challenge_pkey PRIMARY KEY (hash),
  constraint sign_in_challenge_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX sign_in_challenge_expires_at ON public.sign_in_challenge USING btree (expires_at);

create table public.signing_key (
  id text not null,
  public_key jsonb not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  constraint signing_key_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX signing_key_in_use ON public.signing_key USING btree ((true)) WHERE (retired_at IS NULL);

create table public.spent_id_token (
  hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint spent_id_token_pkey PRIMARY KEY (hash)
);
CREATE INDEX spent_id_token_expires_at ON public.spent_id_token USING btree (expires_at);

create table public.split (
  id uuid not null,
  user_id bigint not null,
  total_minor numeric(38,0) not null,
  currency text not null,
  description text,
  split_by text not null,
  own_minor numeric(38,0),
  own_shares integer,
  people integer not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  constraint split_between_people CHECK ((((people + ((own_minor IS NOT NULL))::integer) >= 2) AND ((people + ((own_minor IS NOT NULL))::integer) <= 30))),
  constraint split_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint split_description_check CHECK (((length(description) >= 1) AND (length(description) <= 200))),
  constraint split_own_part CHECK (((own_minor > (0)::numeric) AND (own_minor < total_minor))),
  constraint split_own_shares CHECK (((own_shares IS NOT NULL) = ((split_by = 'shares'::text) AND (own_minor IS NOT NULL)))),
  constraint split_own_shares_check CHECK (((own_shares >= 1) AND (own_shares <= 1000))),
  constraint split_people_check CHECK (((people >= 1) AND (people <= 30))),
  constraint split_pkey PRIMARY KEY (id),
  constraint split_split_by_check CHECK ((split_by = ANY (ARRAY['equal'::text, 'shares'::text, 'amounts'::text]))),
  constraint split_total_minor_check CHECK ((total_minor > (0)::numeric)),
  constraint split_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint split_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key)
);
CREATE INDEX split_of_user ON public.split USING btree (user_id, id);

create table public.split_part (
  split_id uuid not null,
  "position" integer not null,
  request_id uuid not null,
  shares integer,
  constraint split_part_pkey PRIMARY KEY (split_id, "position"),
  constraint split_part_position_check CHECK ((("position" >= 1) AND ("position" <= 30))),
  constraint split_part_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_request(id),
  constraint split_part_request_id_key UNIQUE (request_id),
  constraint split_part_shares_check CHECK (((shares >= 1) AND (shares <= 1000))),
  constraint split_part_split_id_fkey FOREIGN KEY (split_id) REFERENCES public.split(id)
);

create table public.spread (
  source_currency text not null,
  target_currency text not null,
  parts_per_million integer not null,
  constraint spread_parts_per_million_check CHECK (((parts_per_million >= 0) AND (parts_per_million <= 10000))),
  constraint spread_pkey PRIMARY KEY (source_currency, target_currency),
  constraint spread_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES ledger.currency(code),
  constraint spread_target_currency_fkey FOREIGN KEY (target_currency) REFERENCES ledger.currency(code),
  constraint spread_two_currencies CHECK ((source_currency <> target_currency))
);

create table public.step_up_confirmation (
  id uuid not null,
  user_id bigint not null,
  session_id uuid not null,
  action text not null,
  binding bytea not null,
  subject jsonb not null,
  mailed_code bytea,
  failures integer default 0 not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  used_at timestamp with time zone,
  mails integer default 0 not null,
  constraint step_up_confirmation_failures_check CHECK ((failures <= 5)),
  constraint step_up_confirmation_pkey PRIMARY KEY (id),
  constraint step_up_confirmation_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.session(id),
  constraint step_up_confirmation_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX step_up_confirmation_expires_at ON public.step_up_confirmation USING btree (expires_at);
CREATE INDEX step_up_confirmation_session ON public.step_up_confirmation USING btree (session_id);
comment on column public.step_up_confirmation.subject is 'pairs of name and text, in the order they are shown';

create table public.street_hold (
  transfer_id uuid not null,
  confirm_after_seconds integer not null,
  told_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  constraint street_hold_confirm_after_seconds_check CHECK ((confirm_after_seconds > 0)),
  constraint street_hold_pkey PRIMARY KEY (transfer_id),
  constraint street_hold_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES public.transfer(id)
);
CREATE INDEX street_hold_untold ON public.street_hold USING btree (transfer_id) WHERE (told_at IS NULL);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF confirm_after_seconds, confirmed_at ON public.street_hold FOR EACH ROW EXECUTE FUNCTION public.seal_row('transfer_id', 'confirm_after_seconds', 'confirmed_at');

create table public.street_passed (
  movement uuid not null,
  user_id bigint not null,
  passed_at timestamp with time zone not null,
  usd_minor numeric(38,0) not null,
  request_digest bytea not null,
  constraint street_passed_pkey PRIMARY KEY (movement, request_digest),
  constraint street_passed_usd_minor_check CHECK ((usd_minor >= (0)::numeric)),
  constraint street_passed_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX street_passed_of_user ON public.street_passed USING btree (user_id, passed_at);
CREATE INDEX street_passed_old ON public.street_passed USING brin (passed_at) WITH (pages_per_range='16', autosummarize='on');

create table public.street_place (
  id uuid not null,
  user_id bigint not null,
  name text not null,
  country text,
  network text not null,
  trusted_from timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint street_place_pkey PRIMARY KEY (id),
  constraint street_place_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id),
  constraint street_place_user_id_network_key UNIQUE (user_id, network)
);

create table public.street_policy (
  version integer not null,
  hold_minutes integer not null,
  confirm_hours integer not null,
  weaken_after_hours integer not null,
  counted_hours integer not null,
  most_places integer not null,
  price_tolerance_basis_points integer not null,
  constraint street_policy_confirm_hours_check CHECK ((confirm_hours > 0)),
  constraint street_policy_counted_hours_check CHECK ((counted_hours > 0)),
  constraint street_policy_hold_minutes_check CHECK ((hold_minutes > 0)),
  constraint street_policy_most_places_check CHECK ((most_places > 0)),
  constraint street_policy_pkey PRIMARY KEY (version),
  constraint street_policy_price_tolerance_basis_points_check CHECK ((price_tolerance_basis_points >= 0)),
  constraint street_policy_version_check CHECK ((version > 0)),
  constraint street_policy_weaken_after_hours_check CHECK ((weaken_after_hours > 0))
);

create table public.street_setting (
  user_id bigint not null,
  valid_from timestamp with time zone not null,
  is_on boolean not null,
  limit_minor numeric(38,0) not null,
  currency text not null,
  limit_usd_minor numeric(38,0) not null,
  night_from smallint not null,
  night_until smallint not null,
  time_zone text not null,
  constraint street_setting_limit_minor_check CHECK ((limit_minor >= (0)::numeric)),
  constraint street_setting_limit_usd_minor_check CHECK ((limit_usd_minor >= (0)::numeric)),
  constraint street_setting_night_from_check CHECK (((night_from >= 0) AND (night_from <= 23))),
  constraint street_setting_night_until_check CHECK (((night_until >= 0) AND (night_until <= 23))),
  constraint street_setting_pkey PRIMARY KEY (user_id, valid_from),
  constraint street_setting_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE TRIGGER forget_send_room AFTER INSERT OR DELETE OR UPDATE ON public.street_setting FOR EACH ROW EXECUTE FUNCTION public.forget_send_room();

create table public.telling_policy (
  country text,
  check_kind text not null,
  telling text not null,
  valid_from date not null,
  source text not null,
  constraint telling_policy_check_kind_check CHECK ((check_kind = ANY (ARRAY['name'::text, 'payment'::text]))),
  constraint telling_policy_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint telling_policy_country_check_kind_valid_from_key UNIQUE NULLS NOT DISTINCT (country, check_kind, valid_from),
  constraint telling_policy_source_check CHECK ((source ~ '^[a-z0-9_]{1,60}$'::text)),
  constraint telling_policy_telling_check CHECK ((telling = ANY (ARRAY['full'::text, 'limited'::text])))
);

create table public.told_position (
  only_row boolean default true not null,
  "position" xid8 not null,
  cluster bigint not null,
  constraint told_position_only_row_check CHECK (only_row),
  constraint told_position_pkey PRIMARY KEY (only_row)
);

create table public.totp (
  user_id bigint not null,
  secret bytea not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_step bigint default 0 not null,
  next_secret bytea,
  begun_at timestamp with time zone,
  session_id uuid,
  constraint totp_pkey PRIMARY KEY (user_id),
  constraint totp_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.session(id),
  constraint totp_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX totp_session ON public.totp USING btree (session_id) WHERE (session_id IS NOT NULL);

create table public.tracking_link (
  id uuid not null,
  transaction_id uuid not null,
  user_id bigint not null,
  shows_amounts boolean not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint tracking_link_ends_later CHECK ((ended_at >= created_at)),
  constraint tracking_link_pkey PRIMARY KEY (id),
  constraint tracking_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX tracking_link_ended ON public.tracking_link USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX tracking_link_open ON public.tracking_link USING btree (user_id, transaction_id) WHERE (ended_at IS NULL);

create table public.transaction (
  user_id bigint not null,
  id uuid not null,
  posting_id uuid not null,
  kind text not null,
  status text not null,
  created_at timestamp with time zone not null,
  sender_id bigint,
  recipient_id bigint,
  wallet_id uuid not null,
  from_wallet_id uuid,
  to_wallet_id uuid,
  description text not null,
  source_amount numeric(38,0) not null,
  source_currency text not null,
  target_amount numeric(38,0) not null,
  target_currency text not null,
  stablecoin_amount numeric(38,0),
  rate_numerator numeric,
  rate_denominator numeric,
  fee_amount numeric(38,0) not null,
  fee_currency text not null,
  payment_source text,
  payment_id uuid,
  quote_id uuid,
  xid xid8 default pg_current_xact_id() not null,
  changed_at timestamp with time zone,
  passed_by_room boolean,
  constraint transaction_kind_and_description CHECK (((kind = ANY (ARRAY['SEND'::text, 'RECEIVE'::text])) OR ((kind = ANY (ARRAY['DEPOSIT'::text, 'WITHDRAW'::text, 'EXCHANGE'::text])) AND (description ~ '^[a-z_]+[a-z0-9_]*( \{.*\})?$'::text)))),
  constraint transaction_payment_source_check CHECK ((payment_source = ANY (ARRAY['wallet'::text, 'card'::text, 'bank'::text, 'wallet_partial'::text]))),
  constraint transaction_pkey PRIMARY KEY (user_id, id),
  constraint transaction_status_check CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'PENDING'::text, 'FAILED'::text])))
);
CREATE INDEX transaction_changed ON public.transaction USING btree (user_id, changed_at) WHERE (changed_at IS NOT NULL);
CREATE INDEX transaction_pending ON public.transaction USING btree (id) WHERE (status = 'PENDING'::text);
CREATE INDEX transaction_pending_user ON public.transaction USING btree (user_id) WHERE (status = 'PENDING'::text);
CREATE INDEX transaction_sent ON public.transaction USING btree (user_id, recipient_id, created_at) WHERE (kind = 'SEND'::text);
CREATE INDEX transaction_xid ON public.transaction USING btree (xid, user_id);
CREATE TRIGGER amounts_are_kept BEFORE UPDATE OF source_amount, fee_amount ON public.transaction FOR EACH ROW WHEN (((old.status <> 'PENDING'::text) OR (old.kind <> 'EXCHANGE'::text) OR (old.quote_id IS NOT NULL))) EXECUTE FUNCTION public.refuse_change_of_transaction();
CREATE TRIGGER ended_is_ended BEFORE UPDATE OF status ON public.transaction FOR EACH ROW WHEN ((old.status <> 'PENDING'::text)) EXECUTE FUNCTION public.refuse_change_of_transaction();
CREATE TRIGGER facts_are_kept BEFORE UPDATE OF user_id, id, posting_id, kind, created_at, sender_id, recipient_id, wallet_id, from_wallet_id, to_wallet_id, description, source_currency, target_currency, fee_currency, payment_source, payment_id, passed_by_room ON public.transaction FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change_of_transaction();
CREATE TRIGGER price_is_kept BEFORE UPDATE OF target_amount, stablecoin_amount, rate_numerator, rate_denominator, quote_id ON public.transaction FOR EACH ROW WHEN (((old.status <> 'PENDING'::text) OR (old.kind = 'WITHDRAW'::text) OR ((old.kind = 'EXCHANGE'::text) AND (old.quote_id IS NOT NULL)))) EXECUTE FUNCTION public.refuse_change_of_transaction();
CREATE TRIGGER rows_are_kept BEFORE DELETE OR TRUNCATE ON public.transaction FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change_of_transaction();
CREATE TRIGGER transaction_changed BEFORE UPDATE OF status ON public.transaction FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.mark_transaction_changed();

create table public.transaction_facet (
  user_id bigint not null,
  facet integer not null,
  kind text not null,
  status text not null,
  currency text not null,
  second_currency text not null,
  row_count bigint default 0 not null,
  constraint transaction_facet_pkey PRIMARY KEY (user_id, facet),
  constraint transaction_facet_user_id_kind_status_currency_second_curre_key UNIQUE (user_id, kind, status, currency, second_currency)
);

create table public.transaction_index_person (
  user_id bigint not null,
  is_ready boolean default false not null,
  built_from xid8,
  built_to uuid,
  constraint transaction_index_person_pkey PRIMARY KEY (user_id)
);

create table public.transaction_index_position (
  only_row boolean default true not null,
  "position" xid8 not null,
  cluster bigint not null,
  constraint transaction_index_position_only_row_check CHECK (only_row),
  constraint transaction_index_position_pkey PRIMARY KEY (only_row)
);

create table public.transaction_renamed (
  user_id bigint not null,
  constraint transaction_renamed_pkey PRIMARY KEY (user_id)
);

create table public.transaction_search (
  user_id bigint not null,
  id uuid not null,
  facet integer not null,
  amount numeric(38,0) not null,
  description text not null,
  terms tsvector not null,
  constraint transaction_search_pkey PRIMARY KEY (user_id, id)
);
CREATE INDEX transaction_search_amount_down ON public.transaction_search USING btree (user_id, facet, amount DESC, id DESC);
CREATE INDEX transaction_search_amount_up ON public.transaction_search USING btree (user_id, facet, amount, id DESC);
CREATE INDEX transaction_search_description_down ON public.transaction_search USING btree (user_id, facet, description DESC, id DESC);
CREATE INDEX transaction_search_description_up ON public.transaction_search USING btree (user_id, facet, description, id DESC);
CREATE INDEX transaction_search_facet ON public.transaction_search USING btree (user_id, facet, id);
CREATE INDEX transaction_search_terms ON public.transaction_search USING gin (terms);

create table public.transaction_word (
  user_id bigint not null,
  word text not null,
  facet integer not null,
  row_count bigint not null,
  first_id uuid not null,
  last_id uuid not null,
  first_description text not null,
  last_description text not null,
  constraint transaction_word_pkey PRIMARY KEY (user_id, word, facet)
);

create table public.transfer (
  id uuid not null,
  kind text not null,
  state text not null,
  sender_id bigint not null,
  recipient_id bigint,
  payment_id uuid,
  amount_minor numeric(38,0) not null,
  currency text not null,
  usd_minor numeric(38,0) not null,
  locked_price jsonb,
  quote_id uuid,
  description text not null,
  request_hash bytea not null,
  hold_reason text not null,
  held_until timestamp with time zone not null,
  release_reason text,
  decided_by text,
  decision_note text,
  created_at timestamp with time zone not null,
  held_at timestamp with time zone,
  decided_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  constraint transfer_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint transfer_decided CHECK (((decided_at IS NULL) = (decided_by IS NULL))),
  constraint transfer_description_is_code CHECK (((kind = ANY (ARRAY['wallet_send'::text, 'funded_send'::text])) OR (description ~ '^[a-z_]+( \{.*\})?$'::text))),
  constraint transfer_held CHECK (
CASE
    WHEN (state = 'held'::text) THEN ((held_at IS NOT NULL) AND (decided_at IS NULL))
    WHEN (state = 'awaiting_funding'::text) THEN (held_at IS NULL)
    WHEN (state = ANY (ARRAY['settled'::text, 'released'::text])) THEN ((held_at IS NOT NULL) AND (decided_at IS NOT NULL))
    ELSE true
END),
  constraint transfer_hold_reason_check CHECK ((hold_reason = ANY (ARRAY['undo'::text, 'scheduled'::text, 'review'::text, 'compliance'::text, 'street_mode'::text]))),
  constraint transfer_kind_check CHECK ((kind = ANY (ARRAY['wallet_send'::text, 'funded_send'::text, 'exchange'::text, 'payout'::text, 'deposit'::text]))),
  constraint transfer_parties CHECK (((recipient_id IS NOT NULL) = (kind = ANY (ARRAY['wallet_send'::text, 'funded_send'::text])))),
  constraint transfer_payment CHECK (((payment_id IS NOT NULL) = (kind = ANY (ARRAY['funded_send'::text, 'payout'::text, 'deposit'::text])))),
  constraint transfer_pkey PRIMARY KEY (id),
  constraint transfer_price CHECK (((kind = 'deposit'::text) OR ((locked_price IS NULL) = (kind = 'payout'::text)))),
  constraint transfer_release_reason_check CHECK (((release_reason = ANY (ARRAY['cancelled'::text, 'rejected'::text, 'expired'::text, 'returned'::text])) AND ((release_reason <> 'returned'::text) OR (kind = 'deposit'::text)))),
  constraint transfer_released CHECK (((state = 'released'::text) = (release_reason IS NOT NULL))),
  constraint transfer_state_check CHECK ((state = ANY (ARRAY['awaiting_funding'::text, 'held'::text, 'processing'::text, 'settled'::text, 'failed'::text, 'released'::text]))),
  constraint transfer_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
);
CREATE INDEX transfer_due ON public.transfer USING btree (held_until) WHERE (state = 'held'::text);
CREATE UNIQUE INDEX transfer_held_deposit ON public.transfer USING btree (payment_id) WHERE (kind = 'deposit'::text);
CREATE INDEX transfer_held_for_compliance ON public.transfer USING btree (sender_id) WHERE ((state = 'held'::text) AND (hold_reason = 'compliance'::text));
CREATE INDEX transfer_undecided_quote ON public.transfer USING btree (quote_id) WHERE ((quote_id IS NOT NULL) AND (state = ANY (ARRAY['awaiting_funding'::text, 'held'::text])));
CREATE TRIGGER people_are_there BEFORE INSERT ON public.transfer FOR EACH ROW EXECUTE FUNCTION public.refuse_deleted_user('sender_id', 'recipient_id');
CREATE TRIGGER quote_is_kept BEFORE UPDATE OF quote_id ON public.transfer FOR EACH ROW WHEN (((old.state <> 'awaiting_funding'::text) AND (old.quote_id IS DISTINCT FROM new.quote_id))) EXECUTE FUNCTION public.refuse_change_of_held_quote();
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF kind, state, sender_id, recipient_id, payment_id, amount_minor, currency, usd_minor, locked_price, quote_id, hold_reason, held_until, release_reason, decided_by, decision_note, created_at, held_at, decided_at ON public.transfer FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'kind', 'state', 'sender_id', 'recipient_id', 'payment_id', 'amount_minor', 'currency', 'usd_minor', 'locked_price', 'quote_id', 'hold_reason', 'held_until', 'release_reason', 'decided_by', 'decision_note', 'created_at', 'held_at', 'decided_at');

create table public.travel_rule_position (
  only_row boolean default true not null,
  "position" xid8 not null,
  cluster bigint not null,
  at timestamp with time zone not null,
  constraint travel_rule_position_only_row_check CHECK (only_row),
  constraint travel_rule_position_pkey PRIMARY KEY (only_row)
);

create table public.travel_rule_record (
  transaction_id uuid not null,
  originator_id bigint not null,
  beneficiary_id bigint not null,
  kind text not null,
  usd_minor numeric(38,0),
  threshold_country text,
  threshold_valid_from date,
  content bytea not null,
  moved_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint travel_rule_record_beneficiary_id_fkey FOREIGN KEY (beneficiary_id) REFERENCES public.app_user(id),
  constraint travel_rule_record_kind_check CHECK ((kind = ANY (ARRAY['send'::text, 'payout'::text]))),
  constraint travel_rule_record_originator_id_fkey FOREIGN KEY (originator_id) REFERENCES public.app_user(id),
  constraint travel_rule_record_pkey PRIMARY KEY (transaction_id),
  constraint travel_rule_record_threshold_country_threshold_valid_from_fkey FOREIGN KEY (threshold_country, threshold_valid_from) REFERENCES public.travel_rule_threshold(country, valid_from),
  constraint travel_rule_record_usd_minor_check CHECK ((usd_minor >= (0)::numeric))
);
CREATE INDEX travel_rule_record_of_beneficiary ON public.travel_rule_record USING btree (beneficiary_id, moved_at);
CREATE INDEX travel_rule_record_of_originator ON public.travel_rule_record USING btree (originator_id, moved_at);
CREATE INDEX travel_rule_record_old ON public.travel_rule_record USING brin (moved_at) WITH (pages_per_range='16', autosummarize='on');

create table public.travel_rule_threshold (
  country text not null,
  valid_from date not null,
  currency text not null,
  threshold_minor numeric(38,0) not null,
  source text not null,
  constraint travel_rule_threshold_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint travel_rule_threshold_pkey PRIMARY KEY (country, valid_from),
  constraint travel_rule_threshold_source_check CHECK ((source ~ '^[a-z0-9_]{1,60}$'::text)),
  constraint travel_rule_threshold_threshold_minor_check CHECK ((threshold_minor >= (0)::numeric))
);

create table public.treasury_order (
  id uuid not null,
  provider text not null,
  currency text not null,
  sell_currency text not null,
  sell_minor numeric(38,0) not null,
  buy_currency text not null,
  state text not null,
  reference text,
  sold_minor numeric(38,0),
  bought_minor numeric(38,0),
  reason text,
  ordered_by text not null,
  created_at timestamp with time zone not null,
  polled_at timestamp with time zone not null,
  filled_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  constraint treasury_order_bought_minor_check CHECK ((bought_minor > (0)::numeric)),
  constraint treasury_order_buy_currency_fkey FOREIGN KEY (buy_currency) REFERENCES ledger.currency(code),
  constraint treasury_order_currencies CHECK (((sell_currency <> buy_currency) AND ((currency = sell_currency) OR (currency = buy_currency)))),
  constraint treasury_order_currency_fkey FOREIGN KEY (currency) REFERENCES ledger.currency(code),
  constraint treasury_order_filled CHECK (((state = 'filled'::text) = ((sold_minor IS NOT NULL) AND (bought_minor IS NOT NULL) AND (filled_at IS NOT NULL) AND (reference IS NOT NULL)))),
  constraint treasury_order_pkey PRIMARY KEY (id),
  constraint treasury_order_rejected CHECK (((state = 'rejected'::text) = (reason IS NOT NULL))),
  constraint treasury_order_sell_currency_fkey FOREIGN KEY (sell_currency) REFERENCES ledger.currency(code),
  constraint treasury_order_sell_minor_check CHECK ((sell_minor > (0)::numeric)),
  constraint treasury_order_sold CHECK ((sold_minor <= sell_minor)),
  constraint treasury_order_sold_minor_check CHECK ((sold_minor > (0)::numeric)),
  constraint treasury_order_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'filled'::text, 'rejected'::text])))
);
CREATE INDEX treasury_order_latest ON public.treasury_order USING btree (currency, updated_at);
CREATE UNIQUE INDEX treasury_order_pending ON public.treasury_order USING btree (currency) WHERE (state = 'pending'::text);
CREATE TRIGGER row_is_sealed AFTER INSERT OR DELETE OR UPDATE OF provider, currency, sell_currency, sell_minor, buy_currency, state, reference, sold_minor, bought_minor, reason, ordered_by, created_at, filled_at ON public.treasury_order FOR EACH ROW EXECUTE FUNCTION public.seal_row('id', 'provider', 'currency', 'sell_currency', 'sell_minor', 'buy_currency', 'state', 'reference', 'sold_minor', 'bought_minor', 'reason', 'ordered_by', 'created_at', 'filled_at');

create table public.undo_window (
  user_id bigint not null,
  seconds integer not null,
  applies_to text not null,
  updated_at timestamp with time zone not null,
  constraint undo_window_applies_to_check CHECK ((applies_to = ANY (ARRAY['new_payees'::text, 'everybody'::text, 'nobody'::text]))),
  constraint undo_window_pkey PRIMARY KEY (user_id),
  constraint undo_window_seconds_check CHECK (((seconds >= 0) AND (seconds <= 1800))),
  constraint undo_window_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);

create table public.username_claim (
  skeleton text not null,
  user_id bigint not null,
  username text not null,
  claimed_at timestamp with time zone not null,
  released_at timestamp with time zone,
  constraint username_claim_check CHECK ((skeleton = public.username_skeleton(username))),
  constraint username_claim_pkey PRIMARY KEY (skeleton),
  constraint username_claim_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(id)
);
CREATE INDEX username_claim_by_user ON public.username_claim USING btree (user_id) WHERE (released_at IS NULL);

create table public.waitlist (
  id uuid not null,
  email text not null,
  joined_at timestamp with time zone not null,
  forwarded_at timestamp with time zone,
  country text,
  constraint waitlist_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint waitlist_email_check CHECK ((length(email) <= 254)),
  constraint waitlist_email_key UNIQUE (email),
  constraint waitlist_pkey PRIMARY KEY (id)
);
CREATE INDEX waitlist_not_forwarded ON public.waitlist USING btree (id) WHERE (forwarded_at IS NULL);

create table public.wallet (
  id uuid not null,
  user_id bigint not null,
  name text not null,
  base_currency text not null,
  created_at timestamp with time zone not null,
  constraint wallet_pkey PRIMARY KEY (id),
  constraint wallet_user_id_key UNIQUE (user_id)
);

create table public.withdrawal_cost_policy (
  version integer not null,
  basis_points integer not null,
  card_days integer not null,
  constraint withdrawal_cost_policy_basis_points_check CHECK (((basis_points >= 0) AND (basis_points <= 1000))),
  constraint withdrawal_cost_policy_card_days_check CHECK ((card_days >= 0)),
  constraint withdrawal_cost_policy_pkey PRIMARY KEY (version),
  constraint withdrawal_cost_policy_version_check CHECK ((version > 0))
);

CREATE OR REPLACE FUNCTION ledger.close_accounts(accounts bigint[])
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  found bigint;
begin
  perform from ledger.account where account.id = any(accounts) order by account.id for no key update;
  select account.id into found from ledger.account where account.id = any(accounts) and balance <> 0 limit 1;
  if found is null then
    update ledger.account set closed = true where account.id = any(accounts) and kind in ('wallet', 'hold');
  end if;
  return found;
end
$function$
;

CREATE OR REPLACE PROCEDURE ledger.grant_use(IN application regrole)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('grant usage on schema ledger to %s', application);
  execute format('grant select on all tables in schema ledger to %s', application);
  execute format('grant insert (name, kind, currency, floor) on ledger.account to %s', application);
  execute format('grant execute on function ledger.post(ledger.batch, numeric[], boolean) to %s', application);
  execute format('grant execute on function ledger.refuse(uuid, bytea, text, timestamptz, text, jsonb) to %s', application);
  execute format('grant execute on function ledger.reserve_token(uuid, uuid) to %s', application);
  execute format('grant execute on function ledger.release_token(uuid, uuid) to %s', application);
  execute format('grant execute on function ledger.open_stripes(int, text[]) to %s', application);
  execute format('grant execute on function ledger.lock_accounts(bigint[]) to %s', application);
end
$procedure$
;

CREATE OR REPLACE FUNCTION ledger.lock_accounts(accounts bigint[])
 RETURNS TABLE(id bigint, balance numeric)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select account.id, account.balance from ledger.account where account.id = any(accounts)
   order by account.id for no key update
$function$
;

CREATE OR REPLACE FUNCTION ledger.open_stripes(stripe integer, kinds text[])
 RETURNS TABLE(base bigint, id bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into ledger.account (name, kind, currency, floor, stripe_of)
    select a.name || '#' || stripe, a.kind, a.currency, null, a.id from ledger.account as a
     where a.kind = any(kinds) and a.stripe_of is null and a.floor is null
       and not exists (select from ledger.account as known where known.name = a.name || '#' || stripe)
     order by a.name
    on conflict (name) do nothing;
  return query select a.stripe_of, a.id from ledger.account as a
    where a.stripe_of is not null and a.kind = any(kinds) and a.name like '%#' || stripe;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.post(batch ledger.batch, quota_used numeric[] DEFAULT '{}'::numeric[], waits boolean DEFAULT true)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  -- The batch's own arrays under their own names: element access is fast in variables, slow in fields of a composite.
  accounts bigint[] := batch.accounts;
  tokens uuid[] := batch.tokens;
  movement_id uuid[] := batch.movement_id;
  movement_hash bytea[] := batch.movement_hash;
  movement_kind text[] := batch.movement_kind;
  movement_reference uuid[] := batch.movement_reference;
  movement_token int[] := batch.movement_token;
  movement_holder uuid[] := batch.movement_holder;
  movement_keeps_refusal boolean[] := batch.movement_keeps_refusal;
  movement_at timestamptz[] := batch.movement_at;
  movement_quota int[] := batch.movement_quota;
  movement_quota_amount numeric[] := batch.movement_quota_amount;
  movement_quota_limit numeric[] := batch.movement_quota_limit;
  leg_movement int[] := batch.leg_movement;
  leg_from int[] := batch.leg_from;
  leg_to int[] := batch.leg_to;
  leg_amount numeric[] := batch.leg_amount;
  leg_code text[] := batch.leg_code;
  leg_count constant int := cardinality(leg_movement);

  -- One element per account.
  account_kind text[];
  account_currency text[];
  account_name text[];
  account_floor numeric[];
  account_balance numeric[];
  account_version bigint[];
  version_before bigint[];

  -- 'from-kind to-kind code' of every permitted move, with whether both accounts must be of the same wallet.
  permitted jsonb;

  -- One element per token, per movement, per leg.
  token_holder uuid[];
  token_used boolean[];
  token_count int;
  statuses text[];
  is_new boolean[] := array_fill(false, array[cardinality(movement_id)]);
  movement_first_leg int[] := array_fill(0, array[cardinality(movement_id)]);
  leg_refusal text[];
  giver_balance numeric[] := array_fill(0::numeric, array[leg_count]);
  taker_balance numeric[] := giver_balance;
  giver_version bigint[] := array_fill(0::bigint, array[leg_count]);
  taker_version bigint[] := giver_version;

  leg int := 1;
  giver int;
  taker int;
  amount numeric;
  balance numeric;
  refusal text;
begin
  if (0 < all (leg_amount)) is not true then
    raise exception 'every leg moves more than nothing' using errcode = 'TL001';
  end if;

  -- Phase 1: lock every account in ascending order of id, so that two batches never wait for each other in a circle,
  -- and read them into memory. Then see which legs are impossible whatever the balances are.
  if waits then
    select array_agg(a.name), array_agg(a.kind), array_agg(a.currency),
        array_agg(a.floor), array_agg(a.balance), array_agg(a.version)
      into account_name, account_kind, account_currency, account_floor, account_balance, account_version
      from (
        select locked.*
          from (select place from generate_series(1, cardinality(accounts)) as place order by accounts[place]) as listed
          left join lateral (
            select account.name, account.kind, account.currency, account.floor, account.balance, account.version
              from ledger.account where account.id = accounts[listed.place] for no key update
          ) as locked on true
         order by listed.place
      ) as a;
  else
    select array_agg(a.name), array_agg(a.kind), array_agg(a.currency),
        array_agg(a.floor), array_agg(a.balance), array_agg(a.version)
      into account_name, account_kind, account_currency, account_floor, account_balance, account_version
      from (
        select locked.*
          from (select place from generate_series(1, cardinality(accounts)) as place order by accounts[place]) as listed
          left join lateral (
            select account.name, account.kind, account.currency, account.floor, account.balance, account.version
              from ledger.account where account.id = accounts[listed.place] for no key update skip locked
          ) as locked on true
         order by listed.place
      ) as a;
  end if;
  version_before := account_version;

  select jsonb_object_agg(m.from_kind || ' ' || m.to_kind || ' ' || m.code, m.same_owner) into permitted
    from ledger.permitted_move as m;
  select array_agg(l.refusal) into leg_refusal
    from (
      select case
          when account_kind[leg_from[place]] is null or account_kind[leg_to[place]] is null then
            coalesce(
              (select 'busy ' || account.id from ledger.account
                where not waits and (
                  (account_kind[leg_from[place]] is null and account.id = accounts[leg_from[place]])
                  or (account_kind[leg_to[place]] is null and account.id = accounts[leg_to[place]])) limit 1),
              'unknown_account')
          when account_currency[leg_from[place]] <> account_currency[leg_to[place]] then 'currency_mismatch'
          when leg_from[place] = leg_to[place] then 'not_permitted'
          else case permitted ->> (account_kind[leg_from[place]] || ' ' || account_kind[leg_to[place]] || ' ' || leg_code[place])
            when 'false' then null
            when 'true' then case when split_part(account_name[leg_from[place]], ':', 2)
              <> split_part(account_name[leg_to[place]], ':', 2) then 'not_permitted' end
            else 'not_permitted'
          end
        end as refusal
        from generate_series(1, leg_count) as place
       order by place
    ) as l;

  -- Phase 2: see what was posted before. Only now that the accounts are locked: of two processes that replay one
  -- movement at the same time, the second waits above and finds it here.
  select array_agg(m.status) into statuses
    from (
      select case movement_hash[place] = known.request_hash
               when false then 'key_reused'
               when true then case
                 when known.refusal is null then 'replayed'
                 when known.refusal in ('insufficient_funds', 'limit_exceeded', 'already_used') then known.refusal
                 else 'refused_before'
               end
             end as status
        from generate_series(1, cardinality(movement_id)) as place
        left join lateral (
          select posting.request_hash, posting.refusal from ledger.posting where posting.id = movement_id[place] limit 1
        ) as known on true
       order by place
    ) as m;
  if cardinality(tokens) > 0 then
    select array_agg(t.holder), array_agg(t.used) into token_holder, token_used
      from (
        select known.holder, known.posting_id is not null as used
          from generate_series(1, cardinality(tokens)) as place
          left join lateral (
            select token.holder, token.posting_id from ledger.token where token.id = tokens[place] limit 1
          ) as known on true
         order by place
      ) as t;
  end if;

  -- Phase 3: decide in memory, movement by movement, in the order given.
  for movement in 1 .. cardinality(movement_id) loop
    movement_first_leg[movement] := leg;
    is_new[movement] := statuses[movement] is null;
    if is_new[movement] then
      refusal := case
        when token_used[movement_token[movement]]
          or token_holder[movement_token[movement]] <> movement_holder[movement] then 'already_used'
        when movement_quota[movement] is not null and quota_used[movement_quota[movement]] is null then 'busy'
        when quota_used[movement_quota[movement]] + movement_quota_amount[movement] > movement_quota_limit[movement]
          then 'limit_exceeded'
      end;
      while refusal is null and leg_movement[leg] = movement loop
        refusal := leg_refusal[leg];
        exit when refusal is not null;
        giver := leg_from[leg];
        taker := leg_to[leg];
        amount := leg_amount[leg];
        balance := account_balance[giver] - amount;
        if balance < account_floor[giver] then
          refusal := 'insufficient_funds';
          exit;
        end if;
        account_balance[giver] := balance;
        account_version[giver] := account_version[giver] + 1;
        giver_balance[leg] := balance;
        giver_version[leg] := account_version[giver];
        balance := account_balance[taker] + amount;
        account_balance[taker] := balance;
        account_version[taker] := account_version[taker] + 1;
        taker_balance[leg] := balance;
        taker_version[leg] := account_version[taker];
        leg := leg + 1;
      end loop;

      if refusal is null then
        statuses[movement] := 'posted';
        if movement_token[movement] is not null then
          token_used[movement_token[movement]] := true;
          token_holder[movement_token[movement]] := movement_holder[movement];
        end if;
        if movement_quota[movement] is not null then
          quota_used[movement_quota[movement]] := quota_used[movement_quota[movement]] + movement_quota_amount[movement];
        end if;
      else
        statuses[movement] := refusal;
        -- The legs before the refused one are taken back.
        for done in reverse leg - 1 .. movement_first_leg[movement] loop
          giver := leg_from[done];
          taker := leg_to[done];
          account_balance[giver] := account_balance[giver] + leg_amount[done];
          account_version[giver] := account_version[giver] - 1;
          account_balance[taker] := account_balance[taker] - leg_amount[done];
          account_version[taker] := account_version[taker] - 1;
        end loop;
      end if;
    end if;
    while leg_movement[leg] = movement loop
      leg := leg + 1;
    end loop;
    if leg = movement_first_leg[movement] then
      raise exception 'movement % has no legs', movement_id[movement] using errcode = 'TL001';
    end if;
  end loop;
  if leg <= leg_count then
    raise exception 'leg % belongs to no movement', leg using errcode = 'TL001';
  end if;

  -- Phase 4: write. Each account is written once, however many movements touched it.
  if 'posted' = any (statuses) then
    insert into ledger.posting (id, request_hash, kind, reference, created_at, quota_amount)
      select movement_id[m], movement_hash[m], movement_kind[m], movement_reference[m], movement_at[m],
          movement_quota_amount[m]
        from generate_series(1, cardinality(movement_id)) as m
       where statuses[m] = 'posted';
    insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
      select accounts[leg_from[l]], giver_version[l], movement_id[leg_movement[l]],
          l - movement_first_leg[leg_movement[l]], -leg_amount[l], giver_balance[l], movement_at[leg_movement[l]]
        from generate_series(1, leg_count) as l
       where statuses[leg_movement[l]] = 'posted'
      union all
      select accounts[leg_to[l]], taker_version[l], movement_id[leg_movement[l]],
          l - movement_first_leg[leg_movement[l]], leg_amount[l], taker_balance[l], movement_at[leg_movement[l]]
        from generate_series(1, leg_count) as l
       where statuses[leg_movement[l]] = 'posted';
    update ledger.account
       set balance = account_balance[a], version = account_version[a]
      from generate_series(1, cardinality(accounts)) as a
     where account.id = accounts[a] and account_version[a] <> version_before[a];
  end if;

  -- A refusal is kept with its id, in the row that a posting of it would have: neither can follow the other.
  if true = any (movement_keeps_refusal) then
    insert into ledger.posting (id, request_hash, kind, reference, created_at, refusal)
      select movement_id[m], movement_hash[m], movement_kind[m], movement_reference[m], movement_at[m], statuses[m]
        from generate_series(1, cardinality(movement_id)) as m
       where movement_keeps_refusal[m] and is_new[m]
         and statuses[m] in ('insufficient_funds', 'limit_exceeded', 'already_used');
  end if;

  -- Tokens come last in the order of locks. Whoever takes one at the same time is waited for; when they keep it, the
  -- batch is tried again and sees theirs.
  if cardinality(tokens) > 0 then
    with taken as (
      insert into ledger.token as known (id, holder, posting_id)
        select tokens[movement_token[m]], movement_holder[m], movement_id[m]
          from generate_series(1, cardinality(movement_id)) as m
         where statuses[m] = 'posted' and movement_token[m] is not null
         order by 1
        on conflict (id) do update set posting_id = excluded.posting_id
          where known.holder = excluded.holder and known.posting_id is null
      returning 1
    )
    select count(*) into token_count from taken;
    if token_count <> (select count(*) from generate_series(1, cardinality(movement_id)) as m
                        where statuses[m] = 'posted' and movement_token[m] is not null) then
      raise exception 'a token was taken by somebody else' using errcode = 'serialization_failure';
    end if;
  end if;
  return statuses;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.refuse(movement uuid, hash bytea, movement_kind text, refused_at timestamp with time zone, code text, details jsonb, OUT decision text, OUT decided_details jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION ledger.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% of ledger.% is refused: the ledger is only ever added to', tg_op, tg_table_name
    using errcode = 'TL002';
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.release_token(token_id uuid, token_holder uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  delete from ledger.token where token.id = token_id and token.holder = token_holder and token.posting_id is null;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.reopen_accounts(accounts bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform from ledger.account where account.id = any(accounts) order by account.id for no key update;
  update ledger.account set closed = false where account.id = any(accounts) and closed;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.require_posting_function()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  call_stack text;
begin
  get diagnostics call_stack = pg_context;
  if position('ledger.post(ledger.batch,numeric[],boolean)' in call_stack) = 0
    and not (tg_table_name = 'posting' and position('ledger.refuse(uuid,bytea,text,' in call_stack) > 0)
    and not (tg_table_name = 'account' and (position('ledger.close_accounts(bigint[])' in call_stack) > 0
      or position('ledger.reopen_accounts(bigint[])' in call_stack) > 0))
    and not (tg_table_name = 'token' and (position('ledger.reserve_token(uuid,uuid)' in call_stack) > 0
      or position('ledger.release_token(uuid,uuid)' in call_stack) > 0)) then
    raise exception '% of ledger.% is refused: only ledger.post writes it', tg_op, tg_table_name
      using errcode = 'TL003';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.reserve_token(token_id uuid, token_holder uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into ledger.token (id, holder) values (token_id, token_holder) on conflict (id) do nothing;
  return exists (
    select from ledger.token where token.id = token_id and token.holder = token_holder and token.posting_id is null
  );
end
$function$
;

CREATE OR REPLACE FUNCTION public.accept_row(relation text, wanted text, keys text[], facts text[], by_name text, because text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
#variable_conflict use_column
declare
  key constant text := current_setting('tern.row_seal_key');
  line jsonb;
  content bytea;
begin
  execute format('select to_jsonb(t) from %I t where row_key(to_jsonb(t), $1) = $2', accept_row.relation) into line using keys, wanted;
  content := row_hash(accept_row.relation, line, keys, facts);
  if line is null then
    delete from row_seal s where s.relation = accept_row.relation and s.row_key = wanted;
  else
    insert into row_seal as s (relation, row_key, hash, key_id, signature)
    values (accept_row.relation, wanted, content, split_part(key, '.', 1), row_signature(key, content))
    on conflict (relation, row_key) do update
      set hash = excluded.hash, key_id = excluded.key_id, signature = excluded.signature, sealed_at = excluded.sealed_at
      where s.hash <> excluded.hash or s.signature is distinct from excluded.signature;
  end if;
  if not found then
    return false;
  end if;
  insert into row_acceptance (relation, row_key, accepted_by, because)
  values (accept_row.relation, wanted, by_name, accept_row.because);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.carry_restricted_money(batch ledger.batch, rows public.transaction_rows, statuses text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  accounts constant bigint[] := batch.accounts;
  leg_movement constant int[] := batch.leg_movement;
  leg_from constant int[] := batch.leg_from;
  leg_to constant int[] := batch.leg_to;
  leg_amount constant numeric[] := batch.leg_amount;
  movement_at constant timestamptz[] := batch.movement_at;
  legs constant int := cardinality(leg_movement);
  -- One element per account. What is restricted of it is a sum of lots.
  kind text[];
  balance numeric[];
  restricted numeric[];
  -- State of the current movement.
  movement int := 0;
  row_place int;
  origin uuid;
  is_origin_known boolean;
  is_inflow boolean;
  converted_from numeric;
  bridged restricted_part[];
  -- State of the current leg.
  giver int;
  taker int;
  amount numeric;
  at timestamptz;
  matures_at timestamptz;
  parts restricted_part[];
begin
  at := (select min(m.at) from unnest(movement_at) as m (at));
  select array_agg(a.kind order by p.place), array_agg(a.balance order by p.place), array_agg(l.minor order by p.place)
    into kind, balance, restricted
    from generate_series(1, cardinality(accounts)) as p (place)
    left join lateral (select a.kind, a.balance from ledger.account a where a.id = accounts[p.place]) as a on true
    left join lateral (
      select coalesce(sum(r.minor), 0) as minor from restricted_money r where r.account_id = accounts[p.place] and is_restricted(r, at)
    ) as l on true;
  -- Balances as they were before.
  for leg in 1 .. legs loop
    if statuses[leg_movement[leg]] = 'posted' then
      balance[leg_from[leg]] := balance[leg_from[leg]] + leg_amount[leg];
      balance[leg_to[leg]] := balance[leg_to[leg]] - leg_amount[leg];
    end if;
  end loop;

  for leg in 1 .. legs loop
    continue when statuses[leg_movement[leg]] <> 'posted';
    giver := leg_from[leg];
    taker := leg_to[leg];
    amount := leg_amount[leg];
    balance[giver] := balance[giver] - amount;
    balance[taker] := balance[taker] + amount;
    if leg_movement[leg] <> movement then
      movement := leg_movement[leg];
      bridged := '{}';
      row_place := coalesce(array_position(rows.movement, movement), 0);
      is_inflow := false;
      is_origin_known := false;
    end if;
    if not is_origin_known and (restricted[giver] > 0 or kind[giver] in ('card_settlement', 'bank_settlement', 'loss', 'fee')) then
      origin := origin_of_movement(batch.movement_id[movement], batch.movement_reference[movement], rows.payment_id[row_place]);
      is_origin_known := true;
    end if;

    -- Restricted parts of the amount.
    parts := '{}';
    if kind[giver] in ('wallet', 'hold') then
      if restricted[giver] > 0 then
        parts := take_restricted(accounts[giver], amount, restricted[giver] - balance[giver], origin,
          case kind[giver] when 'hold' then batch.movement_reference[movement] end, at);
        restricted[giver] := restricted[giver] - (select coalesce(sum(p.minor), 0) from unnest(parts) as p);
      end if;
    elsif kind[giver] in ('card_settlement', 'bank_settlement') and kind[taker] in ('wallet', 'bridge', 'bridge_stablecoin') then
      is_inflow := true;
      matures_at := maturity_of(origin, movement_at[movement]);
      if matures_at > movement_at[movement] then
        parts := array[row(case kind[giver] when 'card_settlement' then 'card' else 'bank_debit' end,
          origin, matures_at, amount)::restricted_part];
      end if;
    elsif batch.movement_kind[movement] = 'dispute_credit' and kind[taker] = 'wallet' then
      parts := array[row('provisional_credit', origin, 'infinity', amount)::restricted_part];
    elsif kind[giver] in ('bridge', 'bridge_stablecoin') and kind[taker] in ('wallet', 'hold') and cardinality(bridged) > 0 then
      converted_from := (
        select sum(leg_amount[l]) from generate_series(1, legs) as l
         where leg_movement[l] = movement and kind[leg_from[l]] in ('wallet', 'hold', 'card_settlement', 'bank_settlement')
           and kind[leg_to[l]] in ('bridge', 'bridge_stablecoin'));
      parts := convert_restricted(bridged, amount, converted_from);
    end if;
    continue when cardinality(parts) = 0;

    if kind[giver] = 'wallet' and kind[taker] <> 'fee' and rows.kind[row_place] = 'SEND' and not is_inflow then
      perform require_known_payee(rows.sender_id[row_place], rows.recipient_id[row_place], parts);
    end if;
    if kind[taker] in ('wallet', 'hold') then
      perform put_restricted(accounts[taker], case kind[taker] when 'hold' then batch.movement_reference[movement] end, parts, movement_at[movement]);
      restricted[taker] := restricted[taker] + (select sum(p.minor) from unnest(parts) as p);
    elsif kind[taker] in ('bridge', 'bridge_stablecoin') then
      bridged := bridged || parts;
    end if;
  end loop;
end
$function$
;

CREATE OR REPLACE FUNCTION public.case_parties(compliance_case_id uuid)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
AS $function$
  select c.user_id from compliance_case c where c.id = compliance_case_id
  union all
  select party from compliance_case_transfer l join transfer t on t.id = l.transfer_id,
      unnest(array[t.sender_id, t.recipient_id]) as party
   where l.case_id = compliance_case_id
$function$
;

CREATE OR REPLACE FUNCTION public.chain_desk_line()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  last desk_log;
begin
  perform pg_advisory_xact_lock(hashtextextended('desk_log', 0));
  select * into last from desk_log order by number desc limit 1;
  new.number := coalesce(last.number, 0) + 1;
  new.hash := desk_hash(new, last.hash);
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.clear_limit_usage(before date, at_most integer)
 RETURNS SETOF bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  delete from limit_usage_by_method where ctid = any (array(
    select ctid from limit_usage_by_method where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  ));
  delete from limit_usage where ctid = any (array(
    select ctid from limit_usage where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  )) returning user_id;
$function$
;

CREATE OR REPLACE FUNCTION public.compliance_is_involved(objection uuid, operator uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from compliance_objection own
      join lateral (
        select 'cases' as queue, r.id as subject from compliance_review r where r.case_id = own.case_id
        union all
        select 'objections', o.id from compliance_objection o where o.case_id = own.case_id and o.id <> own.id
      ) as before on true
     where own.id = objection and (
       exists (select from desk_decision d
         where d.queue = before.queue and d.subject = before.subject and d.operator_id = operator)
       or exists (select from desk_item i
         where i.queue = before.queue and i.subject = before.subject and i.claimed_by = operator)
       or exists (select from desk_log l
         where l.queue = before.queue and l.subject = before.subject::text and l.act in ('claimed', 'handed_over')
           and (l.operator_id = operator or l.after = (select name from desk_operator where id = operator)))))
$function$
;

CREATE OR REPLACE FUNCTION public.convert_restricted(parts public.restricted_part[], numerator numeric, denominator numeric)
 RETURNS public.restricted_part[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select coalesce(array_agg(row(reason, origin, matures_at, minor)::restricted_part order by place), '{}') from (
    select p.reason, p.origin, p.matures_at, p.place,
        ceil(sum(p.minor) over (order by p.place) * numerator / denominator)
          - ceil((sum(p.minor) over (order by p.place) - p.minor) * numerator / denominator) as minor
      from unnest(parts) with ordinality as p (reason, origin, matures_at, minor, place)
  ) as converted where minor > 0
$function$
;

CREATE OR REPLACE FUNCTION public.count_limit_usage(person bigint, on_day date, at timestamp with time zone, methods text[], amounts numeric[], enforced boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if (0 <= all (amounts)) is not true then
    raise exception 'what is counted is not less than nothing' using errcode = 'check_violation';
  end if;
  perform open_limit_usage(array[person], array[on_day], '{0}', '{0}', '{0}', '{1}', at, true)
    where not exists (select from limit_usage where user_id = person and day = on_day);
  perform from limit_usage where user_id = person and day = on_day for no key update;
  if enforced and array_remove(decide_limits(person, on_day, at, methods, amounts), null) <> '{}' then
    return false;
  end if;
  if not enforced then
    -- What is counted here is not in the sums of their free room. All are locked: nobody works room out without it meanwhile.
    update limit_usage set free_usd_minor = null where user_id = person and day between on_day + 1 and on_day + 29;
  end if;
  update limit_usage as usage set usd_minor = usage.usd_minor + sent.usd_minor, movements = usage.movements + sent.movements
    from (select sum(m.usd_minor) as usd_minor, count(*) as movements from unnest(methods, amounts) as m (method, usd_minor)
           where limit_direction(m.method) = 'out' having count(*) > 0) as sent
   where usage.user_id = person and usage.day = on_day;
  insert into limit_usage_by_method as usage (user_id, day, method, usd_minor, movements)
    select person, on_day, m.method, sum(m.usd_minor), count(*) from unnest(methods, amounts) as m (method, usd_minor)
     where m.method <> 'transfer' group by m.method order by m.method
    on conflict (user_id, day, method) do update
      set usd_minor = usage.usd_minor + excluded.usd_minor, movements = usage.movements + excluded.movements;
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_liquidity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign constant numeric := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into liquidity_change (currency, incoming, outgoing, usd_minor)
    select currency, sign * sum(greatest(minor, 0)), sign * sum(greatest(-minor, 0)), sign * sum(usd_minor)
      from changed group by currency;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.create_pending_transactions(reference uuid, posting uuid, at timestamp with time zone, rows public.transaction_rows)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id)
    select r.user_id, reference, posting, r.kind, 'PENDING', at, r.sender_id, r.recipient_id, r.wallet_id, r.from_wallet_id,
      r.to_wallet_id, r.description, r.source_amount, r.source_currency, r.target_amount, r.target_currency,
      r.stablecoin_amount, r.rate_numerator, r.rate_denominator, r.fee_amount, r.fee_currency, r.payment_source,
      r.payment_id, r.quote_id
      from unnest((rows).user_id, (rows).kind, (rows).sender_id, (rows).recipient_id, (rows).wallet_id,
        (rows).from_wallet_id, (rows).to_wallet_id, (rows).description, (rows).source_amount, (rows).source_currency,
        (rows).target_amount, (rows).target_currency, (rows).stablecoin_amount, (rows).rate_numerator,
        (rows).rate_denominator, (rows).fee_amount, (rows).fee_currency, (rows).payment_source, (rows).payment_id,
        (rows).quote_id) as r (user_id, kind, sender_id, recipient_id, wallet_id, from_wallet_id, to_wallet_id, description,
        source_amount, source_currency, target_amount, target_currency, stablecoin_amount, rate_numerator,
        rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id);
  select disturb_send_guards((rows).user_id) where not ('EXCHANGE' = any ((rows).kind));
$function$
;

CREATE OR REPLACE FUNCTION public.decide_guards(guards public.movement_guards, places integer[], movement_id uuid[], movement_at timestamp with time zone[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  movement constant int[] := guards.movement;
  mode constant text[] := guards.mode;
  person constant bigint[] := guards.person;
  payee constant text[] := guards.payee;
  usd constant numeric[] := guards.usd_minor;
  decision constant uuid[] := guards.decision;
  digest constant bytea[] := guards.digest;
  made uuid[] := array_fill(null::uuid, array[cardinality(movement)]);
  g int;
begin
  for g in select place from unnest(places) as place order by person[place], place loop
    if mode[g] = 'prove' then
      made[g] := record_risk_proof(decision[g], movement_id[movement[g]], digest[g], person[g], movement_at[movement[g]], 'transfer',
        payee[g], usd[g], guards.proof_at[g]);
    else
      made[g] := (
        select case when d.passed then d.passed_with end
          from decide_risk(decision[g], movement_id[movement[g]], digest[g], person[g], movement_at[movement[g]], 'transfer', payee[g],
            guards.is_trusted[g], guards.is_new_device[g], usd[g]) as d);
    end if;
  end loop;
  return made;
end
$function$
;

CREATE OR REPLACE FUNCTION public.decide_limits(person bigint, on_day date, at timestamp with time zone, methods text[], amounts numeric[], uncounted numeric DEFAULT 0, uncounted_movements integer DEFAULT 0)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  decisions text[] := array_fill(null::text, array[cardinality(amounts)]);
  later date[];
  limit_of text[];
  limit_method text[];
  limit_period text[];
  max_usd numeric[];
  max_count int[];
  used_usd numeric[];
  used_count bigint[];
  -- What those before it add, if they are moved.
  more_usd numeric[];
  more_count bigint[];
  fits_alone boolean;
  fits boolean;
  is_subject boolean[];
begin
  select array_agg(l.day order by l.day) into later from (
    select u.day from limit_usage u where u.user_id = person and u.day between on_day + 1 and on_day + 29
     order by u.day for no key update
  ) as l;
  -- What is counted here is not in the sums of their free room.
  update limit_usage set free_usd_minor = null where user_id = person and day = any (later) and free_usd_minor is not null;
  select array_agg(l.direction), array_agg(l.method), array_agg(l.period), array_agg(l.max_usd_minor), array_agg(l.max_movements),
      array_agg(l.used_usd_minor), array_agg(l.used_movements), array_agg(0::numeric), array_agg(0::bigint)
    into limit_of, limit_method, limit_period, max_usd, max_count, used_usd, used_count, more_usd, more_count
    from (
      select * from limits_of(person, on_day, at, uncounted, uncounted_movements)
      union all
      select o.* from unnest(later) as l (day) cross join lateral limits_of(person, l.day, at, uncounted, uncounted_movements) as o
       where o.period = '30_days'
    ) as l;
  for n in 1 .. cardinality(amounts) loop
    fits_alone := true;
    fits := true;
    is_subject := '{}';
    for w in 1 .. coalesce(cardinality(limit_of), 0) loop
      is_subject[w] := limit_of[w] = limit_direction(methods[n]) and (limit_method[w] is null or limit_method[w] = methods[n]);
      continue when not is_subject[w];
      if limit_period[w] = 'payment' then
        fits_alone := fits_alone and amounts[n] <= max_usd[w];
      else
        fits_alone := fits_alone and (used_usd[w] + amounts[n] <= max_usd[w]) is not false
          and (used_count[w] + 1 <= max_count[w]) is not false;
        fits := fits and (used_usd[w] + more_usd[w] + amounts[n] <= max_usd[w]) is not false
          and (used_count[w] + more_count[w] + 1 <= max_count[w]) is not false;
      end if;
    end loop;
    if not fits_alone then
      decisions[n] := 'limit_exceeded';
    elsif not fits then
      decisions[n] := 'busy';
    else
      for w in 1 .. coalesce(cardinality(limit_of), 0) loop
        continue when not is_subject[w];
        more_usd[w] := more_usd[w] + amounts[n];
        more_count[w] := more_count[w] + 1;
      end loop;
    end if;
  end loop;
  return decisions;
end
$function$
;

CREATE OR REPLACE FUNCTION public.decide_risk(decision uuid, movement_id uuid, digest bytea, person bigint, at timestamp with time zone, what text, payee_name text, trusted boolean, new_device boolean, usd numeric)
 RETURNS TABLE(passed boolean, rule text, passed_with uuid)
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  on_day constant date := (at at time zone 'UTC')::date;
  policy risk_policy;
  profile risk_profile;
  earlier risk_decision;
  trusted_usd numeric;
  new_payees bigint;
  new_factor text;
  decided text;
  passes boolean;
begin
  insert into risk_profile (user_id) values (person) on conflict (user_id) do nothing;
  select * into profile from risk_profile where user_id = person for no key update;
  select d.* into earlier from risk_decision d
   where d.movement = movement_id and d.request_digest = digest and d.passed and d.taken_back_at is null and d.closed_at is null;
  if earlier.id is not null then
    if risk_decision_counts(earlier, profile, at) then
      update risk_decision d set requests = d.requests + 1 where d.id = earlier.id;
      return query select true, earlier.rule, earlier.id;
      return;
    end if;
    update risk_decision d set closed_at = at where d.id = earlier.id;
  end if;
  select * into policy from risk_policy order by version desc limit 1;
  select coalesce(sum(d.usd_minor), 0) into trusted_usd from risk_payee_day d
   where d.user_id = person and d.day = on_day and d.payee = payee_name and d.is_trusted;
  select count(*) into new_payees from risk_payee_day d
   where d.user_id = person and d.day = on_day and not d.is_trusted and d.payee <> payee_name;
  -- By the real clock, which dates changes to the account's protection.
  select u.factor_change into new_factor from app_user u
   where u.id = person and u.factor_changed_at > now() - make_interval(hours => policy.new_factor_hours);
  decided := case
    when trusted and not new_device and new_factor is null and trusted_usd + usd <= policy.trusted_payee_usd_minor then 'trusted_payee'
    when profile.unproven_usd_minor + usd > policy.allowance_usd_minor then 'allowance_amount'
    when profile.unproven_payments + 1 > policy.allowance_payments then 'allowance_payments'
    when payee_name is not null and not trusted and new_payees >= policy.new_payees_per_day then 'new_payees'
    else 'allowance' end;
  passes := decided in ('trusted_payee', 'allowance');
  insert into risk_decision (id, movement, request_digest, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed,
      inputs)
  values (decision, movement_id, digest, person, at, policy.version, what, payee_name, usd, decided, passes, jsonb_build_object(
    'trusted', trusted, 'new_device', new_device, 'new_factor', new_factor, 'trusted_usd', trusted_usd::text, 'new_payees', new_payees,
    'unproven_usd', profile.unproven_usd_minor::text, 'unproven_payments', profile.unproven_payments, 'proven_at', profile.proven_at));
  if decided = 'allowance' then
    update risk_profile set unproven_usd_minor = unproven_usd_minor + usd, unproven_payments = unproven_payments + 1
     where user_id = person;
  end if;
  if passes and payee_name is not null then
    insert into risk_payee_day as d (user_id, day, payee, is_trusted, usd_minor)
    values (person, on_day, payee_name, decided = 'trusted_payee', usd)
    on conflict (user_id, day, payee, is_trusted) do update set usd_minor = d.usd_minor + excluded.usd_minor;
  end if;
  return query select passes, decided, decision;
end
$function$
;

CREATE OR REPLACE FUNCTION public.desk_hash(line public.desk_log, hash_before bytea)
 RETURNS bytea
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select sha256(coalesce(hash_before, ''::bytea) || convert_to(jsonb_build_array(
    line.number, extract(epoch from line.at)::text, line.operator_id, line.actor, line.act, line.queue, line.subject, line.reason,
    line.before, line.after, line.decision_id)::text, 'UTF8'))
$function$
;

CREATE OR REPLACE FUNCTION public.desk_is_own(of_queue text, entry uuid, operator uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from desk_own_account a where a.operator_id = operator and a.unlinked_at is null
       and a.user_id in (select desk_parties(of_queue, entry)))
$function$
;

CREATE OR REPLACE FUNCTION public.desk_parties(of_queue text, entry uuid)
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  case of_queue
    when 'verifications' then
      -- Whoever has one of its numbers as well: a verdict may take it from them.
      return query
        select s.user_id from kyc_submission s where s.id = entry
        union all
        select s.user_id from kyc_number n join kyc_number o on o.fingerprint = n.fingerprint
          join kyc_submission s on s.id = o.submission_id where n.submission_id = entry;
    when 'holds' then
      return query
        select party from transfer t, unnest(array[t.sender_id, t.recipient_id]) as party where t.id = entry;
    when 'payouts' then
      return query select o.user_id from payout o where o.id = entry;
    when 'exceptions' then
      return query
        select party from reconciliation_exception e join payment p on p.id = e.reference,
            unnest(array[p.user_id, p.recipient_id]) as party where e.id = entry
        union all
        select o.user_id from reconciliation_exception e join payout o on o.id = e.reference where e.id = entry
        union all
        select transaction_parties(d.user_id, d.transaction_id)
          from reconciliation_exception e join dispute d on d.id = e.reference where e.id = entry;
    when 'cases' then
      return query select case_parties(r.case_id) from compliance_review r where r.id = entry;
    when 'objections' then
      return query
        select o.user_id from compliance_objection o where o.id = entry
        union all
        select case_parties(o.case_id) from compliance_objection o where o.id = entry;
    when 'disputes' then
      return query
        select transaction_parties(d.user_id, d.transaction_id)
          from dispute_review r join dispute d on d.id = r.dispute_id where r.id = entry;
  end case;
end
$function$
;

CREATE OR REPLACE FUNCTION public.dispute_given(person bigint, disputed uuid)
 RETURNS TABLE(by_disputes numeric, fee_by_disputes numeric, recovered numeric, by_others numeric, most numeric, most_fee numeric)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  with own as (
    select t.*, (select d.currency from dispute d where d.user_id = person and d.transaction_id = disputed limit 1) as currency,
        t.kind in ('SEND', 'WITHDRAW') as is_outgoing
      from transaction t where t.user_id = person and t.id = disputed
  ), credit as (
    select p.kind, case when p.kind in ('provisional', 'final') then p.amount_minor else -p.amount_minor end as minor,
        case when p.kind in ('provisional', 'final') then p.fee_minor else -p.fee_minor end as fee_minor
      from dispute_posting p join dispute d on d.id = p.dispute_id
     where d.user_id = person and d.transaction_id = disputed
  ), line as (
    select l.posting_id, l.kind, l.amount_minor from settlement_line l join own on l.reference = own.payment_id
     where own.is_outgoing and l.kind in ('payout_return', 'refund', 'chargeback', 'debit_return', 'chargeback_reversal')
  ), other as (
    -- A payout's line tells what came to us; what the wallet got of it, its entries do.
    select coalesce(-sum(amount_minor) filter (where kind <> 'payout_return'), 0) + coalesce((
        select sum(e.amount) from own join ledger.account a on a.name = 'wallet:' || own.wallet_id || ':' || own.currency
          join ledger.entry e on e.account_id = a.id
         where e.posting_id in (select posting_id from line union all
           select x.id from reconciliation_exception x where x.kind = 'loss' and x.reference = own.payment_id)), 0) as minor
      from line
  )
  select (select coalesce(sum(minor), 0) from credit where kind <> 'recovered'),
      (select coalesce(sum(fee_minor), 0) from credit where kind <> 'recovered'),
      (select coalesce(-sum(minor), 0) from credit where kind = 'recovered'), other.minor,
      case when own.status = 'FAILED' then 0 when own.is_outgoing then own.source_amount + own.fee_amount
           when own.currency = own.target_currency then own.target_amount else own.fee_amount end,
      case when own.status = 'FAILED' then 0 else own.fee_amount end
    from own, other
$function$
;

CREATE OR REPLACE FUNCTION public.dispute_is_involved(review uuid, operator uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from dispute_review own
      join dispute_review before on before.dispute_id = own.dispute_id and before.id <> own.id
     where own.id = review and own.cause = 'objected' and (
       exists (select from desk_decision d
         where d.queue = 'disputes' and d.subject = before.id and d.operator_id = operator)
       or exists (select from desk_log l
         where l.queue = 'disputes' and l.subject = before.id::text and l.act in ('claimed', 'handed_over')
           and (l.operator_id = operator or l.after = (select name from desk_operator where id = operator)))))
$function$
;

CREATE OR REPLACE FUNCTION public.disturb_send_guards(persons bigint[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  with disturbed as materialized (
    select user_id from send_guard where user_id = any (persons) order by user_id for no key update
  )
  update send_guard g set generation = g.generation + 1, free_until = null, free_payment_usd_minor = null, free_version = null
    from disturbed where g.user_id = disturbed.user_id
$function$
;

CREATE OR REPLACE FUNCTION public.fail_pending_transaction(reference uuid)
 RETURNS SETOF bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  update transaction set status = 'FAILED', xid = pg_current_xact_id() where id = reference and status = 'PENDING'
  returning user_id
$function$
;

CREATE OR REPLACE FUNCTION public.fold_liquidity()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into liquidity_total (currency, incoming, outgoing, usd_minor)
    select distinct currency, 0, 0, 0 from liquidity_change on conflict (currency) do nothing;
  with folded as (
    delete from liquidity_change where currency in (select currency from liquidity_total) returning *
  )
  update liquidity_total t
     set incoming = t.incoming + f.incoming, outgoing = t.outgoing + f.outgoing, usd_minor = t.usd_minor + f.usd_minor
    from (select currency, sum(incoming) as incoming, sum(outgoing) as outgoing, sum(usd_minor) as usd_minor
            from folded group by currency) f
   where f.currency = t.currency;
end
$function$
;

CREATE OR REPLACE FUNCTION public.follow_case_deadlines()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update transfer set held_until = due.until
    from (
      select l.transfer_id, max(coalesce(c.need_by, c.decide_by)) as until
        from compliance_case_transfer l join compliance_case c on c.id = l.case_id
       where c.state = 'open' and l.transfer_id in (
         select own.transfer_id from compliance_case_transfer own
          where case tg_table_name when 'compliance_case' then own.case_id = (to_jsonb(new) ->> 'id')::uuid
                else own.transfer_id = (to_jsonb(new) ->> 'transfer_id')::uuid end)
       group by l.transfer_id
    ) as due
   where transfer.id = due.transfer_id and transfer.state = 'held' and transfer.hold_reason = 'compliance'
     and transfer.held_until <> due.until;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_free_room()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  person constant bigint := case tg_table_name when 'app_user' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'user_id' end;
begin
  -- Whoever works room out locks this row too: it sees the change, or the change waits and takes the room back.
  perform from app_user where id = person for no key update;
  update limit_usage set free_usd_minor = null where user_id = person and free_usd_minor is not null;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_matured_money(before timestamp with time zone, at_most integer)
 RETURNS SETOF bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  delete from restricted_money where id = any (array(
    select r.id from restricted_money r left join dispute d on d.id = r.origin and r.reason = 'provisional_credit'
     where r.matures_at < least(before, now()) or d.decided_at < before limit at_most))
  returning id
$function$
;

CREATE OR REPLACE FUNCTION public.forget_send_room()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
begin
  update send_guard set generation = generation + 1, free_until = null, free_payment_usd_minor = null, free_version = null
   where user_id = (changed ->> case tg_table_name when 'app_user' then 'id' else 'user_id' end)::bigint;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_shown_names()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from shown_name where owner_id = new.id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.hand_over_kyc()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  submission uuid;
begin
  select id into submission from kyc_submission
   where user_id = new.id and status = 'pending' and provider_check_id is null;
  if submission is not null then
    perform graphile_worker.add_job('begin_verification', json_build_object('submissionId', submission),
                                    job_key => 'begin_verification ' || submission);
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.is_restricted(lot public.restricted_money, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select lot.matures_at > at and (lot.reason <> 'provisional_credit'
    or exists (select from dispute d where d.id = lot.origin and d.state = 'open'))
$function$
;

CREATE OR REPLACE FUNCTION public.is_seal_of_upgrade(at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  return exists (select from schema_migration where at between applied_at and applied_at + interval '1 day');
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_own_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' then
    if old.unlinked_at is null and new.unlinked_at is not null then
      return new;
    end if;
  elsif old.unlinked_at < now() - interval '5 years'
     or exists (select from app_user u where u.id = old.user_id and u.deleted_at < now() - interval '5 years') then
    return old;
  end if;
  raise exception 'a link of an operator to their account is kept' using errcode = 'restrict_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.limit_direction(method text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when method in ('card', 'bank') then 'in' else 'out' end
$function$
;

CREATE OR REPLACE FUNCTION public.limit_room(person bigint, on_day date, earlier_usd numeric, earlier_movements bigint, at timestamp with time zone)
 RETURNS TABLE(usd_minor numeric, movements bigint, payment_usd_minor numeric)
 LANGUAGE sql
 STABLE
AS $function$
  select least(99999999999999999999999999999999999999,
        min(l.max_usd_minor - case l.period when '30_days' then earlier_usd else 0 end) filter (where l.period <> 'payment')),
      least(2147483647, min(l.max_movements - case l.period when '30_days' then earlier_movements else 0 end)),
      least(99999999999999999999999999999999999999, min(l.max_usd_minor) filter (where l.period = 'payment'))
    from (
      select p.period, p.max_usd_minor, p.max_movements from limit_policy p
       where p.direction = 'out'
         and p.verification_state = coalesce((select u.kyc_status from app_user u where u.id = person), 'not_started')
         and (p.country is null or p.country = (select k.country from kyc_submission k
           where k.user_id = person and k.status = 'verified' order by k.submitted_at desc limit 1))
      union all
      select o.period, case when o.next_at <= at then o.next_max_usd_minor else o.max_usd_minor end, null
        from own_limit o where o.user_id = person and o.direction = 'out'
    ) as l
  having not exists (select from limit_usage u where u.user_id = person and u.day between on_day + 1 and on_day + 29)
$function$
;

CREATE OR REPLACE FUNCTION public.limits_of(person bigint, on_day date, at timestamp with time zone, uncounted numeric DEFAULT 0, uncounted_movements integer DEFAULT 0)
 RETURNS TABLE(direction text, method text, period text, is_own boolean, max_usd_minor numeric, max_movements integer, used_usd_minor numeric, used_movements bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  with person_state as materialized (
    select coalesce((select kyc_status from app_user where id = person), 'not_started') as verification_state,
      (select k.country from kyc_submission k where k.user_id = person and k.status = 'verified'
        order by k.submitted_at desc limit 1) as country
  ), by_method as materialized (
    select 'out' as direction, m.method, sum(m.usd_minor) filter (where m.day = on_day) as day_usd,
        sum(m.movements) filter (where m.day = on_day) as day_movements, sum(m.usd_minor) as month_usd, sum(m.movements) as month_movements
      from limit_usage_by_method m
     where m.user_id = person and m.day between on_day - 29 and on_day and m.method in ('exchange', 'payout') group by 2
    union all
    select 'in', m.method, sum(m.usd_minor) filter (where m.day = on_day),
        sum(m.movements) filter (where m.day = on_day), sum(m.usd_minor), sum(m.movements)
      from limit_usage_by_method m
     where m.user_id = person and m.day between on_day - 29 and on_day and m.method in ('card', 'bank') group by 2
  ), total_out as materialized (
    select coalesce(sum(u.usd_minor) filter (where u.day = on_day), 0) - uncounted as day_usd,
        coalesce(sum(u.movements) filter (where u.day = on_day), 0) - uncounted_movements as day_movements,
        coalesce(sum(u.usd_minor), 0) - uncounted as month_usd, coalesce(sum(u.movements), 0) - uncounted_movements as month_movements
      from limit_usage u where u.user_id = person and u.day between on_day - 29 and on_day
  ), used as materialized (
    select b.direction, b.method, b.day_usd, b.day_movements, b.month_usd, b.month_movements from by_method b
    union all
    select 'out', null, t.day_usd, t.day_movements, t.month_usd, t.month_movements from total_out t
    union all
    select 'out', 'transfer', t.day_usd - coalesce(sum(b.day_usd), 0), t.day_movements - coalesce(sum(b.day_movements), 0),
        t.month_usd - coalesce(sum(b.month_usd), 0), t.month_movements - coalesce(sum(b.month_movements), 0)
      from total_out t left join by_method b on b.direction = 'out'
     group by t.day_usd, t.day_movements, t.month_usd, t.month_movements
    union all
    select 'in', null, sum(b.day_usd), sum(b.day_movements), sum(b.month_usd), sum(b.month_movements)
      from by_method b where b.direction = 'in'
  ), limits as (
    (select distinct on (p.direction, p.method, p.period)
        p.direction, p.method, p.period, false as is_own, p.max_usd_minor, p.max_movements
      from limit_policy p, person_state s
     where p.verification_state = s.verification_state and (p.country is null or p.country = s.country)
     order by p.direction, p.method, p.period, p.country nulls last)
    union all
    select o.direction, null, o.period, true, o.max_usd_minor, null
      from own_limit o where o.user_id = person and (o.next_at is null or o.next_at > at) and o.max_usd_minor is not null
    union all
    select o.direction, null, o.period, true, o.next_max_usd_minor, null
      from own_limit o where o.user_id = person and o.next_at <= at and o.next_max_usd_minor is not null
  )
  select l.direction, l.method, l.period, l.is_own, l.max_usd_minor, l.max_movements,
      case l.period when 'payment' then 0 when 'day' then coalesce(u.day_usd, 0) else coalesce(u.month_usd, 0) end,
      case l.period when 'payment' then 0 when 'day' then coalesce(u.day_movements, 0) else coalesce(u.month_movements, 0) end
    from limits l left join used u on u.direction = l.direction and u.method is not distinct from l.method
   order by l.direction desc, l.method nulls first, array_position(array['payment', 'day', '30_days'], l.period), l.is_own
$function$
;

CREATE OR REPLACE FUNCTION public.liquidity_exposures(moment timestamp with time zone, is_exact boolean)
 RETURNS TABLE(currency text, desk numeric, incoming numeric, outgoing numeric, locked numeric, long_minor numeric, short_minor numeric, flatten_above_minor numeric)
 LANGUAGE sql
 STABLE
AS $function$
  select c.code, coalesce(d.desk, 0), coalesce(r.incoming, 0), coalesce(r.outgoing, 0), coalesce(r.usd_minor, 0),
      l.long_minor, l.short_minor, l.flatten_above_minor
    from ledger.currency c
    left join (
      select a.currency, sum(a.balance) as desk from ledger.account a
       where a.kind in ('bridge', 'bridge_stablecoin', 'rounding') and a.floor is null group by a.currency
    ) d on d.currency = c.code
    left join (
      select s.currency, sum(s.incoming) as incoming, sum(s.outgoing) as outgoing, sum(s.usd_minor) as usd_minor
        from (
          select t.currency, t.incoming, t.outgoing, t.usd_minor from liquidity_total t where not is_exact
          union all
          select g.currency, g.incoming, g.outgoing, g.usd_minor from liquidity_change g where not is_exact
          union all
          select v.currency, greatest(v.minor, 0), greatest(-v.minor, 0), v.usd_minor
            from live_reservations(moment) v where is_exact
        ) s group by s.currency
    ) r on r.currency = c.code
    left join liquidity_limit l on l.currency = c.code
$function$
;

CREATE OR REPLACE FUNCTION public.live_reservations(moment timestamp with time zone)
 RETURNS SETOF public.liquidity_reservation
 LANGUAGE sql
 STABLE
AS $function$
  select r.* from liquidity_reservation r left join ledger.token k on k.id = r.id
   where case
     when k.id is null then r.until > moment
     when k.posting_id is null then true
     else exists (select from transfer h where h.quote_id = r.id and h.state in ('awaiting_funding', 'held')) end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_disputed_transaction()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform from transaction t join dispute d on d.user_id = t.user_id and d.transaction_id = t.id
    where d.id = new.dispute_id for no key update of t;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_limit_usage(usage_user_id bigint, usage_day date)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select from limit_usage where user_id = usage_user_id and day = usage_day for no key update;
$function$
;

CREATE OR REPLACE FUNCTION public.mark_transaction_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.changed_at := clock_timestamp();
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.maturity_hours(person bigint, method text, from_account uuid, at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(max(p.hours), 0)
    from maturity_policy p
    join app_user u on u.id = maturity_hours.person
   where p.method = maturity_hours.method
     and (p.country is null or p.country = (
       select k.country from kyc_submission k where k.user_id = u.id and k.status = 'verified' order by k.submitted_at desc limit 1))
     and (p.account_younger_than_days is null or u.created_at > maturity_hours.at - make_interval(days => p.account_younger_than_days))
     and (p.bank_younger_than_days is null or not exists (
       select from bank_account linked
         join bank_account same using (user_id, provider, fingerprint)
         join payment debit on debit.bank_account_id = same.id and debit.method = 'bank' and debit.status = 'completed'
        where linked.id = maturity_hours.from_account
          and debit.created_at <= maturity_hours.at - make_interval(days => p.bank_younger_than_days)))
$function$
;

CREATE OR REPLACE FUNCTION public.maturity_of(payment_id uuid, at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select maturity_of.at + make_interval(hours => maturity_hours(p.user_id, case p.method when 'bank' then 'bank' else 'card' end,
      p.bank_account_id, maturity_of.at))
    from payment p where p.id = maturity_of.payment_id
$function$
;

CREATE OR REPLACE FUNCTION public.move_money(batch ledger.batch, rows public.transaction_rows, quotas public.limit_quotas, settlements public.transaction_settlements, waits boolean DEFAULT true, guards public.movement_guards DEFAULT NULL::public.movement_guards, OUT statuses text[], OUT settled_users bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  movement_id constant uuid[] := batch.movement_id;
  movement_reference constant uuid[] := batch.movement_reference;
  movement_at constant timestamptz[] := batch.movement_at;
  movement_quota constant int[] := batch.movement_quota;
  movement_quota_amount constant numeric[] := batch.movement_quota_amount;
  accounts constant bigint[] := batch.accounts;
  leg_code constant text[] := batch.leg_code;
  -- Element access is fast in variables, slow in fields of a composite.
  row_movement constant int[] := rows.movement;
  row_user_id constant bigint[] := rows.user_id;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  row_wallet_id constant uuid[] := rows.wallet_id;
  row_from_wallet_id constant uuid[] := rows.from_wallet_id;
  row_to_wallet_id constant uuid[] := rows.to_wallet_id;
  row_description constant text[] := rows.description;
  row_source_amount constant numeric[] := rows.source_amount;
  row_source_currency constant text[] := rows.source_currency;
  row_target_amount constant numeric[] := rows.target_amount;
  row_target_currency constant text[] := rows.target_currency;
  row_stablecoin_amount constant numeric[] := rows.stablecoin_amount;
  row_rate_numerator constant numeric[] := rows.rate_numerator;
  row_rate_denominator constant numeric[] := rows.rate_denominator;
  row_fee_amount constant numeric[] := rows.fee_amount;
  row_fee_currency constant text[] := rows.fee_currency;
  row_payment_source constant text[] := rows.payment_source;
  row_payment_id constant uuid[] := rows.payment_id;
  row_quote_id constant uuid[] := rows.quote_id;
  quota_user constant bigint[] := quotas.user_id;
  quota_day constant date[] := quotas.day;
  quota_usd constant numeric[] := quotas.usd_minor;
  quota_movements constant int[] := quotas.movements;
  quota_largest constant numeric[] := quotas.largest;
  method_movement constant int[] := quotas.method_movement;
  method_name constant text[] := quotas.method;
  settled_movement constant int[] := settlements.movement;
  settled_id constant uuid[] := settlements.id;
  settled_status constant text[] := settlements.status;
  guard_movement constant int[] := guards.movement;
  guard_mode constant text[] := guards.mode;
  guard_person constant bigint[] := guards.person;
  guard_payee constant text[] := guards.payee;
  guard_usd constant numeric[] := guards.usd_minor;
  guard_version constant bigint[] := guards.version;
  guard_count constant int := coalesce(cardinality(guard_movement), 0);
  has_quotas constant boolean := cardinality(quota_user) > 0;
  quota_used numeric[] := '{}';
  counted_places int[];
  -- Days on which a limit may refuse something.
  guarded int[] := '{}';
  missing int[];
  members int[];
  methods text[] := '{}';
  decisions text[];
  decided_quota int[] := movement_quota;
  decided_limit numeric[] := batch.movement_quota_limit;
  -- Places of sends that are counted against their room, and those whose payee has had too much today.
  by_room int[] := '{}';
  over_person bigint[];
  over_payee text[];
  -- Decisions of the others by place, null for what did not pass.
  made uuid[];
  is_authorized boolean[];
  is_quiet boolean[];
  is_quiet_for_sender boolean[];
  disturbed bigint[];
  -- One element per movement.
  has_passed_by_room boolean[];
begin
  -- Usage first and in order, then (in ledger.post) the accounts in order, then tokens: whoever moves money locks in this
  -- sequence, so no two wait for each other in a circle. The whole batch is counted at once; what is not posted is taken back below.
  if has_quotas then
    quota_used := array_fill(null::numeric, array[cardinality(quota_user)]);
    for attempt in 1 .. 3 loop
      if attempt = 2 then
        select opened.made, guarded || opened.tight into counted_places, guarded
          from open_limit_usage(quota_user, quota_day, quota_usd, quota_movements, quota_largest, missing,
            (select min(t.at) from unnest(movement_at) as t (at)), waits and cardinality(quota_user) = 1) as opened;
      elsif waits then
        with counted as (
          update limit_usage as usage
             set usd_minor = usage.usd_minor + quota_usd[q.place], movements = usage.movements + quota_movements[q.place]
            from (select place from generate_series(1, cardinality(quota_user)) as place where quota_used[place] is null
                   order by quota_user[place], quota_day[place]) as q
           where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place]
          returning q.place, usage.free_version = (select version from limit_policy_version)
            and usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
            and quota_largest[q.place] <= usage.free_payment_usd_minor as is_free
        )
        select array_agg(counted.place), guarded || array_agg(counted.place) filter (where counted.is_free is not true)
          into counted_places, guarded from counted;
      else
        with free as materialized (
          select q.place from generate_series(1, cardinality(quota_user)) as q(place)
           cross join lateral (
             select usage.day from limit_usage as usage
              where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place] for no key update skip locked
           ) as locked
           where quota_used[q.place] is null
        ), counted as (
          update limit_usage as usage
             set usd_minor = usage.usd_minor + quota_usd[free.place], movements = usage.movements + quota_movements[free.place]
            from free
           where usage.user_id = quota_user[free.place] and usage.day = quota_day[free.place]
          returning free.place, usage.free_version = (select version from limit_policy_version)
            and usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
            and quota_largest[free.place] <= usage.free_payment_usd_minor as is_free
        )
        select array_agg(counted.place), guarded || array_agg(counted.place) filter (where counted.is_free is not true)
          into counted_places, guarded from counted;
      end if;
      -- Not by a join: the functions of this schema know only nested loops, and this would compare each with each.
      for n in 1 .. coalesce(cardinality(counted_places), 0) loop
        quota_used[counted_places[n]] := 0;
      end loop;
      missing := array_positions(quota_used, null);
      exit when cardinality(missing) = 0 or (attempt = 2 and not waits and cardinality(counted_places) = 0);
      -- A day that somebody else made meanwhile may be locked by whoever waits for one that is counted here already.
      if waits and (attempt = 3 or (attempt = 2 and cardinality(quota_user) > 1)) then
        raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
      end if;
    end loop;
  end if;

  -- Where a limit may refuse something, it is decided here, movement by movement: what is refused has a limit below
  -- everything, and what depends on those before it is busy, to be asked again when their outcome is known.
  if cardinality(guarded) > 0 then
    counted_places := renew_free_room(quota_user, quota_day, quota_largest, guarded,
      (select min(t.at) from unnest(movement_at) as t (at)));
    guarded := array(select place from unnest(guarded) as place where place <> all (counted_places));
  end if;
  if cardinality(guarded) > 0 then
    methods := array_fill('transfer'::text, array[cardinality(movement_id)]);
    for n in 1 .. cardinality(method_movement) loop
      methods[method_movement[n]] := method_name[n];
    end loop;
    for s in 1 .. cardinality(guarded) loop
      members := array_positions(movement_quota, guarded[s]);
      decisions := decide_limits(quota_user[guarded[s]], quota_day[guarded[s]], movement_at[members[1]],
        array(select methods[m.place] from unnest(members) with ordinality as m (place, n) order by m.n),
        array(select movement_quota_amount[m.place] from unnest(members) with ordinality as m (place, n) order by m.n),
        quota_usd[guarded[s]], quota_movements[guarded[s]]);
      for n in 1 .. cardinality(members) loop
        if decisions[n] = 'limit_exceeded' then
          decided_limit[members[n]] := -1;
        elsif decisions[n] = 'busy' then
          decided_quota[members[n]] := cardinality(quota_user) + 1;
        end if;
      end loop;
    end loop;
    batch.movement_quota_limit := decided_limit;
  end if;

  -- Whether the sender may send this without a proof. After the days, before the accounts: so do all who lock both.
  if guard_count > 0 then
    with roomy as materialized (
      select g.place from generate_series(1, guard_count) as g (place)
       cross join lateral (
         select s.free_until, s.free_payment_usd_minor, s.free_version from send_guard s where s.user_id = guard_person[g.place] limit 1
       ) as room
       where guard_mode[g.place] = 'room' and quota_used[movement_quota[guard_movement[g.place]]] is not null
         and room.free_until > movement_at[guard_movement[g.place]] and guard_usd[g.place] <= room.free_payment_usd_minor
         and room.free_version = guard_version[g.place]
         and room.free_version = (select version from limit_policy_version)
    ), counted as (
      insert into risk_payee_day as d (user_id, day, payee, is_trusted, usd_minor)
        select guard_person[roomy.place], (movement_at[guard_movement[roomy.place]] at time zone 'UTC')::date,
            guard_payee[roomy.place], true, sum(guard_usd[roomy.place])
          from roomy group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, payee, is_trusted) do update set usd_minor = d.usd_minor + excluded.usd_minor
      returning d.user_id, d.payee, d.usd_minor
    )
    select coalesce((select array_agg(roomy.place) from roomy), '{}'), array_agg(counted.user_id), array_agg(counted.payee)
      into by_room, over_person, over_payee
      from counted
     where counted.usd_minor > (select trusted_payee_usd_minor from risk_policy order by version desc limit 1);
    is_authorized := array_fill(false, array[guard_count]);
    has_passed_by_room := array_fill(false, array[cardinality(movement_id)]);
    for n in 1 .. cardinality(by_room) loop
      is_authorized[by_room[n]] := true;
      has_passed_by_room[guard_movement[by_room[n]]] := true;
    end loop;
    for n in 1 .. coalesce(cardinality(over_person), 0) loop
      for g in 1 .. guard_count loop
        if guard_person[g] = over_person[n] and guard_payee[g] = over_payee[n] and guard_mode[g] = 'room' then
          is_authorized[g] := false;
        end if;
      end loop;
    end loop;
    if 'decide' = any (guard_mode) or 'prove' = any (guard_mode) then
      made := decide_guards(guards, array(
          select g.place from generate_series(1, guard_count) as g (place)
           where guard_mode[g.place] <> 'room' and quota_used[movement_quota[guard_movement[g.place]]] is not null),
        movement_id, movement_at);
    end if;
    for g in 1 .. guard_count loop
      if not is_authorized[g] and made[g] is null then
        decided_quota[guard_movement[g]] := cardinality(quota_user) + 1;
      else
        is_authorized[g] := true;
      end if;
    end loop;
  end if;
  if guard_count > 0 or cardinality(guarded) > 0 then
    -- No quota has the last place: the ledger answers busy.
    batch.movement_quota := decided_quota;
    quota_used := array_append(quota_used, null);
  end if;

  statuses := ledger.post(batch, quota_used, waits);

  for g in 1 .. guard_count loop
    if not is_authorized[g] and statuses[guard_movement[g]] = 'busy'
      and quota_used[movement_quota[guard_movement[g]]] is not null then
      statuses[guard_movement[g]] := 'not_authorized';
    end if;
  end loop;

  -- One look for the whole batch, by small partial indexes: hardly anybody is stopped, or has restricted money. Each statement sees
  -- what was committed before it, while the accounts are locked.
  if exists (select from app_user u where u.id = any (row_sender_id) and u.frozen_at is not null)
    or exists (select from reconciliation_exception e
      where e.owner_id = any (row_sender_id) and e.kind = 'loss' and e.closed_at is null)
    or exists (select from compliance_case c
      where c.user_id = any (row_sender_id || row_recipient_id) and c.stops = 'person' and c.state <> 'cleared') then
    perform require_no_stop(rows, statuses);
  end if;
  if leg_code && '{deposit,refund}' or exists (select from restricted_money m where m.account_id = any (accounts)) then
    perform carry_restricted_money(batch, rows, statuses);
  end if;

  if has_quotas and not ('posted' = all (statuses)) then
    update limit_usage as usage
       set usd_minor = usage.usd_minor - unused.usd_minor, movements = usage.movements - unused.movements
      from (select movement_quota[m] as quota, sum(movement_quota_amount[m]) as usd_minor, count(*) as movements
              from generate_series(1, cardinality(movement_id)) as m
             where movement_quota[m] is not null and statuses[m] <> 'posted' group by movement_quota[m]) as unused
     where usage.user_id = quota_user[unused.quota] and usage.day = quota_day[unused.quota]
       and quota_used[unused.quota] is not null;
  end if;

  if cardinality(method_movement) > 0 then
    insert into limit_usage_by_method as usage (user_id, day, method, usd_minor, movements)
      select quota_user[movement_quota[m.movement]], quota_day[movement_quota[m.movement]], m.method,
          sum(movement_quota_amount[m.movement]), count(*)
        from unnest(method_movement, method_name) as m (movement, method)
       where statuses[m.movement] = 'posted' group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, method) do update
        set usd_minor = usage.usd_minor + excluded.usd_minor, movements = usage.movements + excluded.movements;
  end if;

  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id, passed_by_room)
    select row_user_id[r], movement_reference[row_movement[r]], movement_id[row_movement[r]], row_kind[r], row_status[r],
      movement_at[row_movement[r]], row_sender_id[r], row_recipient_id[r], row_wallet_id[r],
      row_from_wallet_id[r], row_to_wallet_id[r], row_description[r], row_source_amount[r],
      row_source_currency[r], row_target_amount[r], row_target_currency[r], row_stablecoin_amount[r],
      row_rate_numerator[r], row_rate_denominator[r], row_fee_amount[r], row_fee_currency[r],
      row_payment_source[r], row_payment_id[r], row_quote_id[r],
      case when row_kind[r] = 'SEND' and has_passed_by_room[row_movement[r]] then true end
      from generate_series(1, cardinality(row_movement)) as r
     where statuses[row_movement[r]] = 'posted';

  if cardinality(settled_id) > 0 then
    with settled as (
      update transaction as t set status = settled_status[s], xid = pg_current_xact_id()
        from generate_series(1, cardinality(settled_id)) as s
       where t.id = settled_id[s] and t.status = 'PENDING' and statuses[settled_movement[s]] = 'posted'
      returning t.user_id
    )
    select array_agg(distinct settled.user_id) into settled_users from settled;
  end if;

  -- What was reserved for a price that money has moved at is free again. While a transfer is held, it stays reserved.
  if cardinality(batch.tokens) > 0 then
    delete from liquidity_reservation where id = any (array(
      select batch.tokens[batch.movement_token[row_movement[r]]] from generate_series(1, cardinality(row_movement)) as r
       where row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' and statuses[row_movement[r]] = 'posted'
         and batch.movement_token[row_movement[r]] is not null));
  end if;

  -- A quiet send gives monitoring nothing new to look at, neither about its sender nor its recipient. Everything else does.
  if guard_count > 0 then
    is_quiet := array_fill(false, array[cardinality(movement_id)]);
    is_quiet_for_sender := is_quiet;
    for g in 1 .. guard_count loop
      is_quiet[guard_movement[g]] := guards.is_quiet[g];
      is_quiet_for_sender[guard_movement[g]] := guard_mode[g] = 'room' or guards.room_generation[g] is not null;
    end loop;
  end if;
  select array_agg(distinct row_user_id[r]) into disturbed
    from generate_series(1, cardinality(row_movement)) as r
   where statuses[row_movement[r]] = 'posted' and row_kind[r] <> 'EXCHANGE'
     and (case row_kind[r] when 'SEND' then is_quiet_for_sender else is_quiet end)[row_movement[r]] is not true;
  if disturbed is not null then
    perform disturb_send_guards(disturbed);
  end if;
  if guard_count > 0 and (not ('posted' = all (statuses)) or exists (select from unnest(guards.room_generation) as g where g is not null)) then
    perform settle_guards(guards, by_room, made, statuses, movement_at);
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_limit_policy()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update limit_policy_version set version = version + 1;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_renamed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into transaction_renamed (user_id) values (new.id) on conflict do nothing;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.open_limit_usage(persons bigint[], days date[], counted_usd numeric[], counted_movements integer[], largest numeric[], places integer[], at timestamp with time zone, waits boolean, OUT made integer[], OUT tight integer[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  known int[];
  -- The person has an earlier day with free room.
  followed int[];
  inserted_count bigint;
  member int;
begin
  if waits then
    perform from unnest(places) as place join app_user on id = persons[place] order by id for no key update of app_user;
    -- All days that a window of these reaches: what is counted on them meanwhile would be in no sum.
    perform from unnest(places) as place
      join limit_usage as usage on usage.user_id = persons[place] and usage.day between days[place] - 29 and days[place] - 1
     order by usage.user_id, usage.day for no key update of usage;
  end if;
  -- Who is nobody's user moves nothing: their day may be made.
  select array_agg(place) into known from unnest(places) as place
    left join lateral (
      select true as is_locked from app_user where id = persons[place] for no key update skip locked
    ) as owner on true
   where (owner.is_locked or (select id from app_user where id = persons[place]) is null)
     -- Not by a join: the plan is made when the table is empty.
     and (select day from limit_usage where user_id = persons[place] and day = days[place]) is null;
  -- In a statement of its own: it sees all that whoever held a person before has done.
  with opened as materialized (
    select place, room.usd_minor, room.movements, room.payment_usd_minor,
        earlier.is_free, (counted_usd[place] <= room.usd_minor and counted_movements[place] <= room.movements
          and largest[place] <= room.payment_usd_minor) is true as fits
      from unnest(known) as place
      cross join lateral (
        select count(*) as locked, bool_or(l.free_usd_minor is not null) as is_free,
            coalesce(sum(l.usd_minor), 0) as usd_minor, coalesce(sum(l.movements), 0)::bigint as movements
          from (
            select e.usd_minor, e.movements, e.free_usd_minor from limit_usage e
             where e.user_id = persons[place] and e.day between days[place] - 29 and days[place] - 1
               for no key update skip locked
          ) as l
      ) as earlier
      left join lateral limit_room(persons[place], days[place], earlier.usd_minor, earlier.movements, at) as room on true
     where earlier.locked = (select count(*) from limit_usage e
       where e.user_id = persons[place] and e.day between days[place] - 29 and days[place])
  ), inserted as (
    insert into limit_usage
        (user_id, day, usd_minor, movements, free_usd_minor, free_movements, free_payment_usd_minor, free_version)
      select persons[place], days[place], counted_usd[place], counted_movements[place],
          usd_minor, opened.movements, payment_usd_minor, (select version from limit_policy_version)
        from opened
      on conflict do nothing
    returning true
  )
  select coalesce(array_agg(place), '{}'), coalesce(array_agg(place) filter (where not fits), '{}'),
      coalesce(array_agg(place) filter (where is_free), '{}'), (select count(*) from inserted)
    into made, tight, followed, inserted_count
    from opened;
  if inserted_count <> cardinality(made) then
    raise exception 'a day of usage was made by somebody else' using errcode = 'serialization_failure';
  end if;
  foreach member in array followed loop
    update limit_usage set free_usd_minor = null
     where user_id = persons[member] and day between days[member] - 29 and days[member] - 1 and free_usd_minor is not null;
  end loop;
end
$function$
;

CREATE OR REPLACE FUNCTION public.open_losses_of(person bigint)
 RETURNS SETOF public.reconciliation_exception
 LANGUAGE sql
 STABLE
AS $function$
  select e.* from reconciliation_exception e where e.owner_id = person and e.kind = 'loss' and e.closed_at is null
$function$
;

CREATE OR REPLACE FUNCTION public.open_send_guard()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into send_guard (user_id) values (new.id);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.origin_of_movement(id uuid, reference uuid, row_payment uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select coalesce(
    (select p.id from payment p where p.id = row_payment),
    (select d.dispute_id from dispute_posting d where d.posting_id = origin_of_movement.id limit 1),
    (select p.id from payment p where p.transaction_id = origin_of_movement.reference limit 1))
$function$
;

CREATE OR REPLACE FUNCTION public.pass_street(movement_id uuid, digest bytea, person bigint, at timestamp with time zone, usd numeric, from_network text, is_night boolean)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  setting street_setting;
  counted_since timestamptz;
  counted numeric;
begin
  select * into setting from street_setting s where s.user_id = person and s.valid_from <= at order by s.valid_from desc limit 1;
  if setting.is_on is not true then
    return 'off';
  end if;
  if not is_night and exists (select from street_place p
      where p.user_id = person and p.network = from_network and p.trusted_from <= at) then
    return 'home';
  end if;
  perform set_config('synchronous_commit', 'off', true);
  perform from app_user where id = person for no key update;
  counted_since := at - make_interval(hours => (select counted_hours from street_policy order by version desc limit 1));
  if exists (select from street_passed p
      where p.movement = movement_id and p.request_digest = digest and p.passed_at > counted_since) then
    return 'passed';
  end if;
  select coalesce(sum(p.usd_minor), 0) into counted from street_passed p
   where p.user_id = person and p.passed_at > counted_since;
  if counted + usd > setting.limit_usd_minor then
    return 'held';
  end if;
  delete from street_passed p where p.movement = movement_id and p.request_digest = digest;
  insert into street_passed (movement, request_digest, user_id, passed_at, usd_minor) values (movement_id, digest, person, at, usd);
  return 'passed';
end
$function$
;

CREATE OR REPLACE FUNCTION public.price_pending_order(person bigint, reference uuid, source numeric, target numeric, stablecoin numeric, rate_numerator numeric, rate_denominator numeric, fee numeric, quote uuid)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  with priced as (
    update transaction t
       set source_amount = source, target_amount = target, stablecoin_amount = stablecoin,
           rate_numerator = price_pending_order.rate_numerator, rate_denominator = price_pending_order.rate_denominator,
           fee_amount = fee, quote_id = quote, xid = pg_current_xact_id()
     where t.user_id = person and t.id = reference and t.status = 'PENDING' and t.kind = 'EXCHANGE'
       and exists (select from exchange_order o where o.transaction_id = t.id and o.user_id = t.user_id and o.state = 'open')
    returning true
  )
  select exists (select from priced)
$function$
;

CREATE OR REPLACE FUNCTION public.price_pending_transaction(reference uuid, new_target numeric, new_stablecoin numeric, new_numerator numeric, new_denominator numeric, new_quote uuid DEFAULT NULL::uuid)
 RETURNS SETOF bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  update transaction
     set target_amount = new_target, stablecoin_amount = new_stablecoin, rate_numerator = new_numerator,
         rate_denominator = new_denominator, quote_id = coalesce(new_quote, quote_id), xid = pg_current_xact_id()
   where id = reference and status = 'PENDING' and kind in ('SEND', 'RECEIVE', 'DEPOSIT')
     and not exists (select from ledger.posting where id = transaction.posting_id)
  returning user_id
$function$
;

CREATE OR REPLACE FUNCTION public.promise_prices(promises jsonb, dollars jsonb, moment timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
declare
  asked record;
  statuses text[];
  replaced uuid[];
  default_long numeric;
  default_short numeric;
  most_by_person numeric;
  most_in_all numeric;
  codes text[];
  rooms_in numeric[];
  rooms_out numeric[];
  locked numeric;
  persons bigint[];
  locked_by numeric[];
  person int;
  giver int;
  taker int;
  is_exact boolean := false;
begin
  for asked in
    select p.place, p.id, p.user_id, p.created_at, p.replaces
      from rows from (jsonb_to_recordset(promises)
        as (id uuid, user_id bigint, created_at timestamptz, replaces uuid)) with ordinality
        as p (id, user_id, created_at, replaces, place)
     where p.replaces is not null order by p.replaces
  loop
    if replace_quote(asked.replaces, asked.id, asked.user_id, asked.created_at) then
      replaced[asked.place] := asked.replaces;
    end if;
  end loop;
  -- Reservations of these are locked here, and deleted below.
  if replaced is not null then
    perform from liquidity_reservation where id = any (replaced) order by id, currency for update;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('liquidity', 0));
  select max(usd_minor) filter (where name = 'long'), max(usd_minor) filter (where name = 'short'),
      max(usd_minor) filter (where name = 'locked_by_person'), max(usd_minor) filter (where name = 'locked_in_all')
    into default_long, default_short, most_by_person, most_in_all from liquidity_default;
  -- The sums of all that is stored are read first, which is fast and at most too careful.
  loop
    select array_agg(e.currency),
        array_agg(coalesce(e.long_minor, div(default_long * w.numerator, w.denominator)) - e.desk - e.incoming
          + coalesce(o.incoming, 0)),
        array_agg(coalesce(e.short_minor, div(default_short * w.numerator, w.denominator)) + e.desk - e.outgoing
          + coalesce(o.outgoing, 0)),
        sum(e.locked - coalesce(o.usd_minor, 0))
      into codes, rooms_in, rooms_out, locked
      from liquidity_exposures(moment, is_exact) e
      left join jsonb_to_recordset(dollars) as w (currency text, numerator numeric, denominator numeric)
        on w.currency = e.currency
      -- Reservations of replaced quotes are room for those that replace them.
      left join (
        select r.currency, sum(greatest(r.minor, 0)) as incoming, sum(greatest(-r.minor, 0)) as outgoing,
            sum(r.usd_minor) as usd_minor
          from liquidity_reservation r where r.id = any (replaced) group by r.currency
      ) o on o.currency = e.currency;
    statuses := array[]::text[];
    persons := array[]::bigint[];
    locked_by := array[]::numeric[];
    for asked in
      select p.* from rows from (jsonb_to_recordset(promises)
          as (source text, source_minor numeric, target text, target_minor numeric, usd_minor numeric, counted_for bigint))
          with ordinality as p (source, source_minor, target, target_minor, usd_minor, counted_for, place)
       order by p.place
    loop
      statuses[asked.place] := 'promised';
      continue when asked.source = asked.target;
      person := array_position(persons, asked.counted_for);
      if person is null and asked.counted_for is not null then
        person := cardinality(persons) + 1;
        persons[person] := asked.counted_for;
        locked_by[person] := case when is_exact
          then (select coalesce(sum(v.usd_minor), 0) from live_reservations(moment) v
                 where v.user_id = asked.counted_for and v.id <> all (coalesce(replaced, '{}')))
          else (select coalesce(sum(r.usd_minor), 0) from liquidity_reservation r
                 where r.user_id = asked.counted_for and r.id <> all (coalesce(replaced, '{}'))) end;
      end if;
      giver := array_position(codes, asked.source);
      taker := array_position(codes, asked.target);
      statuses[asked.place] := case
        when asked.usd_minor > most_in_all or (person is not null and asked.usd_minor > most_by_person) then 'too_large'
        when locked_by[person] + asked.usd_minor > most_by_person then 'too_much_locked'
        when asked.usd_minor > 0 and locked + asked.usd_minor > most_in_all then 'no_room'
        when asked.source_minor <= rooms_in[giver] and asked.target_minor <= rooms_out[taker] then 'promised'
        else 'no_room' end;
      continue when statuses[asked.place] <> 'promised';
      rooms_in[giver] := rooms_in[giver] - asked.source_minor;
      rooms_out[taker] := rooms_out[taker] - asked.target_minor;
      locked := locked + asked.usd_minor;
      if person is not null then
        locked_by[person] := locked_by[person] + asked.usd_minor;
      end if;
    end loop;
    exit when is_exact or statuses <@ '{promised,too_large}';
    is_exact := true;
  end loop;

  if replaced is not null then
    for place in 1 .. cardinality(statuses) loop
      continue when replaced[place] is null;
      if statuses[place] = 'promised' then
        delete from liquidity_reservation where id = replaced[place];
      else
        -- A refused quote replaces nothing.
        update quote set replaced_by = null where id = replaced[place];
        perform ledger.release_token(replaced[place], (promises -> (place - 1) ->> 'id')::uuid);
      end if;
    end loop;
  end if;
  insert into liquidity_reservation (id, currency, minor, usd_minor, user_id, until)
    select p.id, side.currency, side.minor, side.usd_minor, p.counted_for, p.until
      from rows from (jsonb_to_recordset(promises)
        as (id uuid, source text, source_minor numeric, target text, target_minor numeric, usd_minor numeric,
          counted_for bigint, until timestamptz)) with ordinality
        as p (id, source, source_minor, target, target_minor, usd_minor, counted_for, until, place)
      cross join lateral (values (p.source, p.source_minor, p.usd_minor), (p.target, -p.target_minor, 0))
        as side (currency, minor, usd_minor)
     where statuses[p.place] = 'promised' and p.source <> p.target;
  insert into quote (id, user_id, recipient_id, created_at, expires_at, locked_price, signature)
    select p.id, p.user_id, p.recipient_id, p.created_at, p.expires_at, p.locked_price, decode(p.signature, 'hex')
      from rows from (jsonb_to_recordset(promises)
        as (id uuid, user_id bigint, recipient_id bigint, created_at timestamptz, expires_at timestamptz,
          locked_price jsonb, signature text)) with ordinality
        as p (id, user_id, recipient_id, created_at, expires_at, locked_price, signature, place)
     where statuses[p.place] = 'promised' and p.locked_price is not null;
  if (select count(*) from liquidity_change) > 200 then
    perform fold_liquidity();
  end if;
  return statuses;
end
$function$
;

CREATE OR REPLACE FUNCTION public.put_restricted(account bigint, hold uuid, parts public.restricted_part[], at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  insert into restricted_money as lot (account_id, hold_reference, user_id, currency, minor, reason, origin, matures_at, created_at)
    select a.id, put_restricted.hold, w.user_id, a.currency, sum(p.minor), p.reason, p.origin, p.matures_at, put_restricted.at
      from ledger.account a
      join wallet w on w.id = split_part(a.name, ':', 2)::uuid
     cross join unnest(parts) as p
     where a.id = put_restricted.account
     group by a.id, w.user_id, a.currency, p.reason, p.origin, p.matures_at
  on conflict (account_id, hold_reference, reason, origin, matures_at) do update set minor = lot.minor + excluded.minor
$function$
;

CREATE OR REPLACE FUNCTION public.record_risk_proof(decision uuid, movement_id uuid, digest bytea, person bigint, at timestamp with time zone, what text, payee_name text, usd numeric, proof_at timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  passed_with uuid;
begin
  insert into risk_profile (user_id) values (person) on conflict (user_id) do nothing;
  perform from risk_profile p where p.user_id = person for no key update;
  update risk_profile p set proven_at = proof_at, counted_since = at, unproven_usd_minor = 0, unproven_payments = 0
   where p.user_id = person and (p.proven_at is null or p.proven_at < proof_at);
  update risk_decision d set requests = d.requests + 1
   where d.movement = movement_id and d.request_digest = digest and d.passed and d.taken_back_at is null and d.closed_at is null
  returning d.id into passed_with;
  if passed_with is not null then
    return passed_with;
  end if;
  insert into risk_decision (id, movement, request_digest, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed,
      inputs)
  values (decision, movement_id, digest, person, at, (select max(version) from risk_policy), what, payee_name, usd, 'proven', true,
    jsonb_build_object('proven_at', proof_at));
  return decision;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_deleted_user()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'user % has left', old.id using errcode = 'TU001';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_desk()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_held_quote()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the quote of transfer % is kept once its money has come', old.id;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_transaction()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% of % is refused: only the status of a pending row changes', tg_op, tg_table_name
    using errcode = 'TL002';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_deleted_user()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  people bigint[] := '{}';
  is_beginning constant boolean := tg_table_name in ('payment', 'payout', 'transfer', 'payment_request', 'exchange_order',
    'schedule', 'session', 'favorite');
  person record;
begin
  for place in 0 .. tg_nargs - 1 loop
    people := people || (to_jsonb(new) ->> tg_argv[place])::bigint;
  end loop;
  for person in select deleted_at, deletion_due_at from app_user where id = any(people) order by id for key share loop
    if person.deleted_at is not null or (is_beginning and person.deletion_due_at is not null) then
      raise exception 'a row of % names somebody who has left', tg_table_name using errcode = 'TU001';
    end if;
  end loop;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_involved_operator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if dispute_is_involved(new.subject, new.operator_id) then
    raise exception 'operator % decides about their own decision', new.operator_id using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_own_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if desk_is_own(new.queue, new.subject, new.operator_id) then
    raise exception 'operator % decides about an account of their own', new.operator_id using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.renew_free_room(persons bigint[], days date[], largest numeric[], places integer[], at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  known int[];
  free int[];
begin
  -- In a statement of its own: what follows sees all that whoever changes a person or their limits has done before.
  select array_agg(place) into known from unnest(places) as place
    cross join lateral (select from app_user where id = persons[place] for share skip locked) as locked;
  with renewed as (
    update limit_usage as usage
       set free_usd_minor = room.usd_minor, free_movements = room.movements, free_payment_usd_minor = room.payment_usd_minor,
           free_version = (select version from limit_policy_version)
      from unnest(known) as place
      cross join lateral (
        select coalesce(sum(e.usd_minor), 0) as usd_minor, coalesce(sum(e.movements), 0) as movements
          from limit_usage e where e.user_id = persons[place] and e.day between days[place] - 29 and days[place] - 1
      ) as earlier
      cross join lateral limit_room(persons[place], days[place], earlier.usd_minor, earlier.movements, at) as room
     where usage.user_id = persons[place] and usage.day = days[place]
    returning place, usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
      and largest[place] <= usage.free_payment_usd_minor as fits
  )
  select coalesce(array_agg(place) filter (where fits), '{}') into free from renewed;
  return free;
end
$function$
;

CREATE OR REPLACE FUNCTION public.replace_quote(replaced uuid, replacing uuid, owner bigint, moment timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform from quote where id = replaced and user_id = owner and expires_at > moment;
  -- Accepting it takes the same token.
  if not found or not ledger.reserve_token(replaced, replacing) then
    return false;
  end if;
  update quote set replaced_by = replacing where id = replaced;
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.require_given_once()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  disputed record;
  given record;
begin
  for disputed in
    select distinct d.user_id, d.transaction_id from dispute d
     where tg_table_name = 'dispute_posting' and d.id = (to_jsonb(new) ->> 'dispute_id')::uuid
        or tg_table_name = 'settlement_line' and d.transaction_id = (
          select o.transaction_id from payout o where o.id = (to_jsonb(new) ->> 'reference')::uuid)
  loop
    select * into given from dispute_given(disputed.user_id, disputed.transaction_id);
    if given.by_disputes < given.recovered or given.fee_by_disputes not between 0 and given.by_disputes
       or (coalesce(to_jsonb(new) ->> 'kind', '') not in ('taken_back', 'repaid')
         and (given.by_disputes + given.by_others > given.most or given.fee_by_disputes > given.most_fee)) then
      raise exception 'transaction % would be given back % of %, and % of it recovered', disputed.transaction_id,
        given.by_disputes + given.by_others, given.most, given.recovered using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.require_known_payee(sender bigint, recipient bigint, parts public.restricted_part[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (
    select from unnest(parts) as p join dispute d on d.id = p.origin
     where p.reason = 'provisional_credit' and not exists (
       select from transaction t
        where t.user_id = sender and t.recipient_id = recipient and t.kind = 'SEND' and t.status = 'COMPLETED'
          and t.id <> d.transaction_id and coalesce(t.changed_at, t.created_at) < d.opened_at)
  ) then
    raise exception 'provisional credit would leave for a new payee' using errcode = 'TC002';
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.require_no_stop(rows public.transaction_rows, statuses text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  row_movement constant int[] := rows.movement;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  stop text;
begin
  -- A withdrawal has left the account once it is pending; a send that is held is asked about when it settles.
  select stopped.by into stop
    from generate_series(1, cardinality(row_movement)) as r
   cross join lateral (
     select case
       when exists (select from app_user u where u.id = row_sender_id[r] and u.frozen_at is not null)
         or exists (select from reconciliation_exception e
              where e.owner_id = row_sender_id[r] and e.kind = 'loss' and e.closed_at is null)
       then 'account'
       when row_status[r] = 'COMPLETED' and exists (select from compliance_case c
              where c.user_id in (row_sender_id[r], row_recipient_id[r]) and c.stops = 'person' and c.state <> 'cleared')
       then 'case' end as by
   ) as stopped
   where (row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' or row_kind[r] = 'WITHDRAW' and row_status[r] = 'PENDING')
     and statuses[row_movement[r]] = 'posted' and stopped.by is not null
   limit 1;
  if stop = 'account' then
    raise exception 'an account is frozen or has an open loss' using errcode = 'TR001';
  elsif stop = 'case' then
    raise exception 'a case stops somebody' using errcode = 'TC001';
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.require_uninvolved_operator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if compliance_is_involved(new.subject, new.operator_id) then
    raise exception 'whoever has had to do with a case decides no objection against it' using errcode = 'TC002';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.reverse_limit_usage(usage_user_id bigint, usage_day date, usage_method text, usage_usd_minor numeric)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if usage_usd_minor < 0 then
    return;
  end if;
  update limit_usage set usd_minor = usd_minor - least(usd_minor, usage_usd_minor), movements = greatest(movements - 1, 0)
   where user_id = usage_user_id and day = usage_day and limit_direction(usage_method) = 'out';
  -- The day is the lock of what is counted by method.
  perform from limit_usage where user_id = usage_user_id and day = usage_day for no key update;
  update limit_usage_by_method
     set usd_minor = usd_minor - least(usd_minor, usage_usd_minor), movements = greatest(movements - 1, 0)
   where user_id = usage_user_id and day = usage_day and method = usage_method;
end
$function$
;

CREATE OR REPLACE FUNCTION public.risk_decision_counts(made public.risk_decision, profile public.risk_profile, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select case made.rule
    when 'allowance' then profile.counted_since is null or profile.counted_since <= made.decided_at
    when 'trusted_payee' then (made.decided_at at time zone 'UTC')::date = (at at time zone 'UTC')::date
    else made.decided_at > at - interval '1 day' end
$function$
;

CREATE OR REPLACE FUNCTION public.row_hash(relation text, line jsonb, keys text[], facts text[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select sha256(convert_to(jsonb_build_array(relation, (
    select jsonb_agg(line -> f order by n) from unnest(keys || facts) with ordinality as u(f, n)))::text, 'UTF8'))
$function$
;

CREATE OR REPLACE FUNCTION public.row_key(line jsonb, keys text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select string_agg(line ->> k, ' ' order by n) from unnest(keys) with ordinality as u(k, n)
$function$
;

CREATE OR REPLACE FUNCTION public.row_signature(key text, hash bytea)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select sha256(decode(substr(split_part(key, '.', 2), 129), 'hex')
    || sha256(decode(left(split_part(key, '.', 2), 128), 'hex') || hash))
$function$
;

CREATE OR REPLACE FUNCTION public.screen_again()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  person bigint;
begin
  if tg_table_name = 'app_user' then
    update screening_person set screened_epoch = 0 where user_id = new.id;
  else
    person := new.user_id;
    insert into screening_person (user_id) values (person) on conflict (user_id) do update set screened_epoch = 0;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.seal_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  key constant text := nullif(current_setting('tern.row_seal_key', true), '');
  keys constant text[] := string_to_array(tg_argv[0], ',');
  line constant jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  content bytea;
  stored bytea;
begin
  if key is null and current_setting('application_name') <> 'tern' then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from row_seal s where s.relation = tg_table_name and s.row_key = row_key(line, keys);
    return null;
  end if;
  content := row_hash(tg_table_name, line, keys, tg_argv[1:]);
  if tg_op = 'UPDATE' then
    select s.hash into stored from row_seal s where s.relation = tg_table_name and s.row_key = row_key(to_jsonb(old), keys);
    if stored = content or stored is distinct from row_hash(tg_table_name, to_jsonb(old), keys, tg_argv[1:]) then
      return null;
    end if;
  end if;
  insert into row_seal as s (relation, row_key, hash, key_id, signature)
  values (tg_table_name, row_key(line, keys), content, split_part(key, '.', 1), row_signature(key, content))
  on conflict (relation, row_key) do update
    set hash = excluded.hash, key_id = excluded.key_id, signature = excluded.signature, sealed_at = excluded.sealed_at;
  return null;
end
$function$
;

CREATE OR REPLACE PROCEDURE public.seal_table(IN relation text, IN keys text[], IN facts text[])
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $procedure$
begin
  execute format('drop trigger if exists row_is_sealed on %I', relation);
  execute format('create trigger row_is_sealed after insert or delete or update of %s on %I for each row execute function seal_row(%s)',
    (select string_agg(format('%I', f), ', ') from unnest(facts) as f), relation,
    (select string_agg(format('%L', f), ', ') from unnest(array_to_string(keys, ',') || facts) as f));
  execute format('insert into row_seal (relation, row_key, hash)
      select $1, row_key(line, $2), row_hash($1, line, $2, $3) from (select to_jsonb(t) as line from %I t) as stored
      on conflict (relation, row_key) do update set hash = excluded.hash, key_id = null, signature = null, sealed_at = now()',
    relation) using relation, keys, facts;
end
$procedure$
;

CREATE OR REPLACE FUNCTION public.set_loss_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  new.owner_id := coalesce((select p.user_id from payment p where p.id = new.reference),
    (select d.user_id from dispute d where d.id = new.reference));
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.settle_guards(guards public.movement_guards, by_room integer[], made uuid[], statuses text[], movement_at timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  guard_movement constant int[] := guards.movement;
  person constant bigint[] := guards.person;
  payee_name constant text[] := guards.payee;
  usd constant numeric[] := guards.usd_minor;
  g int;
begin
  for g in select place from unnest(by_room) as place where statuses[guard_movement[place]] <> 'posted' order by person[place], place loop
    update risk_payee_day d set usd_minor = d.usd_minor - usd[g]
     where d.user_id = person[g] and d.day = (movement_at[guard_movement[g]] at time zone 'UTC')::date and d.payee = payee_name[g]
       and d.is_trusted;
  end loop;
  for g in select place from generate_series(1, coalesce(cardinality(made), 0)) as place
            where made[place] is not null and statuses[guard_movement[place]] <> 'posted' order by person[place], place loop
    perform take_back_risk(made[g], movement_at[guard_movement[g]]);
    -- Sent again and decided anew, without an answer in between.
    delete from risk_decision d where d.id = made[g] and d.requests = 0 and statuses[guard_movement[g]] like 'busy%';
  end loop;
  for g in select place from generate_series(1, cardinality(guard_movement)) as place
            where guards.room_generation[place] is not null and statuses[guard_movement[place]] = 'posted' order by person[place], place loop
    update send_guard s set free_until = guards.room_until[g], free_payment_usd_minor = guards.room_payment_usd_minor[g],
        free_version = guards.room_version[g]
     where s.user_id = (select f.user_id from send_guard f where f.user_id = person[g] for no key update skip locked)
       and s.generation = guards.room_generation[g];
  end loop;
end
$function$
;

CREATE OR REPLACE FUNCTION public.sign_rows(old_key text, new_key text)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  with signed as (
    update row_seal set key_id = split_part(new_key, '.', 1), signature = row_signature(new_key, hash)
     where key_id is not distinct from split_part(old_key, '.', 1)
       and case when old_key is null then is_seal_of_upgrade(sealed_at) else signature = row_signature(old_key, hash) end
    returning 1)
  select count(*) from signed
$function$
;

CREATE OR REPLACE FUNCTION public.take_back_movement_risk(movement_id uuid, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  made uuid;
  has_taken boolean := false;
begin
  perform from risk_profile p where p.user_id = (select d.user_id from risk_decision d where d.movement = movement_id limit 1)
    for no key update;
  for made in
    select d.id from risk_decision d
     where d.movement = movement_id and d.passed and d.taken_back_at is null and d.closed_at is null
  loop
    perform uncount_risk(made, at);
    has_taken := true;
  end loop;
  return has_taken;
end
$function$
;

CREATE OR REPLACE FUNCTION public.take_back_risk(decision uuid, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  remaining int;
begin
  -- The profile is locked first, as in decide_risk.
  perform from risk_profile p where p.user_id = (select d.user_id from risk_decision d where d.id = decision) for no key update;
  update risk_decision d set requests = d.requests - 1
   where d.id = decision and d.passed and d.taken_back_at is null and d.requests > 0
  returning d.requests into remaining;
  if remaining is distinct from 0 then
    return false;
  end if;
  perform uncount_risk(decision, at);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.take_restricted(account bigint, amount numeric, excess numeric, of_origin uuid, of_hold uuid, at timestamp with time zone)
 RETURNS public.restricted_part[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  parts restricted_part[];
begin
  with lot as (
    select r.id, r.reason, r.origin, r.matures_at, r.minor,
        coalesce(r.origin = of_origin, false) or coalesce(r.hold_reference = of_hold, false) as is_preferred
      from restricted_money r where r.account_id = account and is_restricted(r, at)
  ), queue as (
    select lot.*, sum(lot.minor) over (order by is_preferred desc, matures_at, id) - lot.minor as before,
        least(amount, greatest(excess, (select coalesce(sum(minor), 0) from lot where is_preferred))) as wanted
      from lot
  ), taken as (
    select queue.*, least(minor, wanted - before) as part from queue where before < wanted
  ), emptied as (
    delete from restricted_money r using taken where r.id = taken.id and taken.part = taken.minor
  ), reduced as (
    update restricted_money r set minor = r.minor - taken.part from taken where r.id = taken.id and taken.part < taken.minor
  )
  select array_agg(row(reason, origin, matures_at, part)::restricted_part order by before) into parts from taken;
  return coalesce(parts, '{}');
end
$function$
;

CREATE OR REPLACE FUNCTION public.transaction_parties(person bigint, transaction_id uuid)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
AS $function$
  select party from transaction t, unnest(array[t.user_id, t.sender_id, t.recipient_id]) as party
   where t.user_id = person and t.id = transaction_id
$function$
;

CREATE OR REPLACE FUNCTION public.uncount_risk(decision uuid, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  taken risk_decision;
  left_of_day numeric;
begin
  update risk_decision d set requests = 0, taken_back_at = at where d.id = decision returning d.* into taken;
  if taken.rule = 'allowance' then
    update risk_profile p set unproven_usd_minor = greatest(p.unproven_usd_minor - taken.usd_minor, 0),
        unproven_payments = greatest(p.unproven_payments - 1, 0)
     where p.user_id = taken.user_id and (p.counted_since is null or p.counted_since <= taken.decided_at);
  end if;
  if taken.rule in ('allowance', 'trusted_payee') then
    update risk_payee_day d set usd_minor = d.usd_minor - taken.usd_minor
     where d.user_id = taken.user_id and d.day = (taken.decided_at at time zone 'UTC')::date and d.payee = taken.payee
       and d.is_trusted = (taken.rule = 'trusted_payee')
    returning d.usd_minor into left_of_day;
  end if;
  if left_of_day = 0 then
    delete from risk_payee_day d where d.user_id = taken.user_id and d.day = (taken.decided_at at time zone 'UTC')::date
      and d.payee = taken.payee and d.is_trusted = (taken.rule = 'trusted_payee');
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.username_skeleton(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select replace(replace(translate(lower(name), '01._-', 'ol'), 'm', 'rn'), 'w', 'vv') $function$
;

CREATE OR REPLACE FUNCTION public.verified_residence(person bigint)
 RETURNS TABLE(country text, city text)
 LANGUAGE sql
 STABLE
AS $function$
  select form.country, form.city
    from app_user
    join kyc_submission form on form.user_id = app_user.id and form.status = 'verified'
   where app_user.id = person and app_user.kyc_status = 'verified'
   order by form.submitted_at desc limit 1
$function$
;

CREATE OR REPLACE FUNCTION public.wait_for_movements(person bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform from payout p
    where p.user_id = person and p.status = 'pending' and p.provider_payout_id is null order by p.id for no key update;
  perform from payment p
    where p.user_id = person and p.status = 'pending' and p.session_id is null order by p.id for no key update;
  perform from ledger.lock_accounts(array(
    select a.id from wallet w
      cross join ledger.currency c
      cross join unnest(array['wallet:', 'hold:']) as prefix
      join ledger.account a on a.name = prefix || w.id || ':' || c.code
     where w.user_id = person));
end
$function$
;
