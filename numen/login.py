"""`numen login`: the account of each companion, logged in by a code that a person enters in a browser."""

from __future__ import annotations

from numen.config import Config, ConfigError
from numen.console import Console
from numen.early import account_file
from numen.messages import say
from protocol.account_errors import AccountError
from protocol.accounts import Account, DeviceCode, Services


async def log_in(config: Config, name: str | None, console: Console, services: Services | None = None) -> int:
    """Log in whoever has an account, or only the companion of that name. Returns the exit code.

    Raises ConfigError.
    """
    language = console.language
    chosen = [each for each in config.companions if name is None or each.name.casefold() == name.casefold()]
    if not chosen:
        names = ", ".join(each.name for each in config.companions)
        raise ConfigError(config.source, [say("nobody", language, name=name, names=names)])
    logging_in = [(each, section) for each in chosen if (section := config.account_of(each)) is not None]
    if not logging_in:
        raise ConfigError(config.source, [say("no_account", language)])

    def show(code: DeviceCode) -> None:
        minutes = round(code.expires_in_s / 60)
        console.note(say("device_code", language, url=code.url, code=code.code, minutes=minutes))

    good = True
    for companion, section in logging_in:
        console.note(say("logging_in", language, name=companion.name))
        account = Account(section.client_id, account_file(config, companion), prompt=show, services=services)
        try:
            await account.log_in()
        except AccountError as error:
            console.note(error.sentence(language))
            good = False
        else:
            console.note(say("logged_in", language, name=companion.name, player=account.name))
    return 0 if good else 1
