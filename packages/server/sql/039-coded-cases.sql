-- Owner: payments. What is the matter with a case, and why it was closed, as codes with parameters. Whoever closed one by hand
-- said so in their own words, which are kept as a note.

alter table reconciliation_exception add column params jsonb not null default '{}';
alter table reconciliation_exception add column resolution_note text;

-- `pattern` finds the parameters, in the order of their names.
create function pg_temp.coded_case(sentence text, out code text, out params jsonb) language sql as $$
  select form.code, (
      select coalesce(jsonb_object_agg(name, found.parts[place]), '{}')
        from unnest(form.names) with ordinality as named (name, place))
    from (values
      (1, 'capture_differs', '^Captured were (.*); asked for were (.*)\.$', array['captured', 'asked']),
      (2, 'captured_again', '^Captured were (.*) for a payment that had been captured already, as (.*)\.$',
        array['captured', 'capture']),
      (3, 'capture_of_another', '^The provider says that the movement (.*) is of this payment; here it is of (.*)\.$',
        array['line', 'owner']),
      (4, 'payment_unanswered', '^(The) provider never said whether it took this payment on, and cannot be asked again\.$',
        array[]::text[]),
      (5, 'payout_unanswered', '^(The) provider never said whether it took this payout on, and cannot be asked again\.$',
        array[]::text[]),
      (6, 'payout_differs', '^Paid out (.*); ordered were (.*)\.$', array['paid', 'ordered']),
      (7, 'return_differs', '^Returned were (.*); paid out were (.*)\.$', array['returned', 'paid']),
      (8, 'payout_of_another', '^The provider says that the movement (.*) is of this payout; here it is of something else\.$',
        array['line']),
      (9, 'payout_contradicted', '^The provider says that a payout is (.*) which is (.*) here\.$', array['there', 'here']),
      (10, 'reversal_does_not_fit',
        '^A (\w+) of (.*) does not fit the payment it names, of which (.*) are left\. Nothing was posted\.$',
        array['kind', 'amount', 'left']),
      (11, 'loss', '^A (\w+) took back (.*)\. (.*) of it were no longer in the wallet of user (\d+): that is our loss unless',
        array['kind', 'amount', 'lost', 'user']),
      (12, 'came_and_went', '^A (\w+) of (.*), with others that make up for it\. Nothing was posted\.$', array['kind', 'amount']),
      (13, 'books_differ', '^The provider''s books have an? (\w+) of (.*), ours have an? (\w+) of (.*)\.$',
        array['kind', 'amount', 'own_kind', 'own_amount']),
      (14, 'not_ours', '^The provider''s books have an? (\w+) of (.*) for nothing of ours; nothing was posted for it\.$',
        array['kind', 'amount']),
      (15, 'not_posted', '^The provider''s books have an? (\w+) of (.*) for (.*); nothing was posted for it\.$',
        array['kind', 'amount', 'reference']),
      (16, 'not_at_provider', '^We posted an? (\w+) of (.*); the provider''s books do not have it\.$', array['kind', 'amount']),
      (17, 'balance_differs', '^The account (.*) stands at (.*); the movements with the provider make (.*)\.$',
        array['account', 'stands', 'should'])
    ) as form (place, code, pattern, names)
    cross join lateral (select regexp_match(sentence, form.pattern) as parts) as found
   where found.parts is not null
   order by form.place limit 1
$$;

update reconciliation_exception set detail = coded.code, params = coded.params
  from (select id as case_id, (pg_temp.coded_case(detail)).* from reconciliation_exception) as coded
 where id = coded.case_id and coded.code is not null;
-- Written by a version whose sentences are not known any more: its kind, amount and subject still say what it is about.
update reconciliation_exception set detail = 'earlier_finding' where detail !~ '^[a-z_]+$';

update reconciliation_exception set
    resolution_note = case when resolution in ('The provider said what became of the payment.', 'It could be placed.',
      'What was lost came back.', 'The books agree about it now.') then null else resolution end,
    resolution = case resolution
      when 'The provider said what became of the payment.' then 'provider_answered'
      when 'It could be placed.' then 'matched'
      when 'What was lost came back.' then 'recovered'
      when 'The books agree about it now.' then 'books_agree'
      else 'manual' end
 where resolution is not null;

alter table reconciliation_exception add constraint reconciliation_exception_is_coded
  check (detail ~ '^[a-z_]+$' and resolution ~ '^[a-z_]+$');
alter table reconciliation_exception add constraint reconciliation_exception_note_is_manual
  check (resolution_note is null or resolution = 'manual');
