"""Draw hands, deals, auctions and boards as HTML; ``framed`` adds the style."""

from bridge_env.display.html.boards import auctions_html as auctions_html
from bridge_env.display.html.boards import board_html as board_html
from bridge_env.display.html.boards import boards_html as boards_html
from bridge_env.display.html.fragments import auction_html as auction_html
from bridge_env.display.html.fragments import call_html as call_html
from bridge_env.display.html.fragments import contract_html as contract_html
from bridge_env.display.html.fragments import deal_html as deal_html
from bridge_env.display.html.fragments import framed as framed
from bridge_env.display.html.fragments import hand_html as hand_html
from bridge_env.display.html.fragments import notes_html as notes_html
from bridge_env.display.html.fragments import result_html as result_html
from bridge_env.display.html.fragments import style as style
from bridge_env.display.html.fragments import tricks_html as tricks_html
from bridge_env.display.html.fragments import words_html as words_html
