-- expand
-- Security events are listed, watched for guesses at many accounts, and deleted by age.

alter table security_events add column mail_mark bytea check (length(mail_mark) = 4);
comment on column security_events.mail_mark is 'Part of the hash of the mail address that was tried: enough to count different ones, too little to tell which.';
create index security_events_by_time on security_events (at);
