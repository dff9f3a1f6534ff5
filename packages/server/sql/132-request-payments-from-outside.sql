-- Owner: requests. A member pays a request by card or bank: such a payment has both its payer and its payment.
alter table request_payment
  drop constraint request_payment_of_one,
  add constraint request_payment_has_origin check (payer_id is not null or payment_id is not null);
