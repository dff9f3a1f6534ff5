-- Owner: wallets. What somebody sent to one person, for the confirmation that money to a new payee needs; and what pays
-- for a transfer is its sender's own matter.

create index transaction_sent on transaction (user_id, recipient_id, created_at) where kind = 'SEND';

update transaction set payment_id = null, payment_source = null where kind = 'RECEIVE' and payment_id is not null;
